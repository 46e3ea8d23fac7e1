import type { Database, Transaction } from "../database/database.ts";

/** A database on which every verb's transaction is part of the one given: they commit together or not at all. */
export function inOneTransaction(database: Database, transaction: Transaction): Database {
  return {
    query: (statement) => transaction.query(statement),
    transaction: (work) => work(transaction),
    withConnection() {
      throw new Error("a verb that needs a connection of its own can't be part of a transaction");
    },
    poolUse: () => database.poolUse(),
    async close() {},
  };
}
