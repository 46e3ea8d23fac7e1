import type { Database, Transaction } from "../../../database/database.ts";
import { indexPlans } from "./dispatch.sql.ts";

/**
 * A transaction whose statements are planned to go by indexes. The planner can't know how few rows a claim takes (its
 * limit is a column) and would rather read the whole table: at 120,000 rows a claim of 500 took 160 ms instead of 8.
 */
export function withIndexPlans<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    await transaction.query(indexPlans);
    return work(transaction);
  });
}
