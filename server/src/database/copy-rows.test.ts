import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { copyRows, type RewriteRow } from "./copy-rows.ts";
import { type Database, openDatabase } from "./database.ts";

/** Moves the row as it is. */
const asItIs: RewriteRow = (bytes, start, end, to) => {
  bytes.copyWithin(to, start, end);
  return to + end - start;
};

describe("copying rows out", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });
  const copied = async (select: string) => {
    const { blocks, rows } = await database.withConnection((client) =>
      copyRows(client, `COPY (${select}) TO STDOUT (FORMAT csv)`, asItIs),
    );
    return { rows, text: Buffer.concat(blocks).toString() };
  };

  it("gives every row, small ones in big blocks, and rows larger than a block", async () => {
    expect(await copied("SELECT 1 WHERE false")).toEqual({ rows: 0, text: "" });
    const numbers = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(await copied("SELECT generate_series(1, 100000)")).toEqual({ rows: 100_000, text: numbers });
    const lengths = [1, 131_065, 131_066, 131_067, 131_072, 500_000, 3];
    const text = lengths.map((length) => `${"é".repeat(length)}\n`).join("");
    const select = `SELECT repeat('é', length) FROM unnest(ARRAY[${lengths}]) AS length`;
    expect(await copied(select)).toEqual({ rows: lengths.length, text });
  });

  it("leaves the connection as it was, with notices in between", async () => {
    await database.query({
      text: `CREATE FUNCTION noisy(value int) RETURNS int LANGUAGE plpgsql AS
             $$ BEGIN RAISE NOTICE 'row %', value; RETURN value; END $$`,
    });
    for (let round = 0; round < 3; round++) {
      expect(await copied("SELECT noisy(value) FROM generate_series(1, 3) AS value")).toEqual({
        rows: 3,
        text: "1\n2\n3\n",
      });
      expect(await database.query({ text: "SELECT 1 AS one" })).toEqual([{ one: 1 }]);
    }
  });

  it("rejects when the statement fails at once, or after rows, or a row can't be taken; the pool lives on", async () => {
    await expect(copied("SELECT nothing")).rejects.toMatchObject({ code: "42703" });
    const late = "SELECT 1 / (50000 - value) FROM generate_series(1, 60000) AS value";
    await expect(copied(late)).rejects.toMatchObject({ code: "22012" });
    const refuse = () => {
      throw new Error("not this one");
    };
    await expect(
      database.withConnection((client) => copyRows(client, "COPY (SELECT 1) TO STDOUT", refuse)),
    ).rejects.toThrow("not this one");
    await expect(copied("SELECT pg_terminate_backend(pg_backend_pid())")).rejects.toThrow();
    expect(await copied("SELECT 7")).toEqual({ rows: 1, text: "7\n" });
  });
});
