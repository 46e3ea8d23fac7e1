import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../testing/test-database.ts";
import { type Database, openDatabase } from "./database.ts";

describe("a statement's rows", () => {
  let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const everyType = {
    name: "test-every-type",
    text: `SELECT $1::timestamptz AS at, 9007199254740991::bigint AS big, 1.5::numeric AS exact, NULL::text AS nothing,
             true AS yes, ARRAY[1, 2] AS numbers, '{"b":1,"a":[null]}'::json AS document, '' AS text`,
    values: ["2026-11-21T07:44:00.1239Z"],
  };
  const expected = {
    at: "2026-11-21T07:44:00.123Z",
    big: 9007199254740991,
    exact: 1.5,
    nothing: null,
    yes: true,
    numbers: [1, 2],
    document: { b: 1, a: [null] },
    text: "",
  };

  it("are read the same every time, prepared or not, on the pool and in a transaction", async () => {
    for (let i = 0; i < 3; i++) expect(await database.query(everyType)).toEqual([expected]);
    const { name: _, ...unnamed } = everyType;
    expect(await database.query(unnamed)).toEqual([expected]);
    expect(await database.transaction((transaction) => transaction.query(everyType))).toEqual([expected]);
  });

  it("don't share what one statement's rows hold with the next", async () => {
    const [first] = await database.query<{ text: string; nothing: unknown }>(everyType);
    first!.nothing = "changed";
    expect(await database.query(everyType)).toEqual([expected]);
  });

  it("have the columns that the table has by now", async () => {
    await database.query({ text: "CREATE TABLE changing (one int)" });
    await database.query({ text: "INSERT INTO changing VALUES (1)" });
    const read = { name: "test-changing", text: "SELECT * FROM changing" };
    expect(await database.query(read)).toEqual([{ one: 1 }]);
    await database.query({ text: "ALTER TABLE changing ALTER one TYPE text, ADD two bigint DEFAULT 2" });
    // PostgreSQL refuses the old plan; the connection that holds it leaves the pool.
    await expect(database.query(read)).rejects.toThrow("cached plan");
    expect(await database.query(read)).toEqual([{ one: "1", two: 2 }]);
  });

  it("fail with the statement, with a stack that leads to the caller, and leave the pool usable", async () => {
    async function divideByNothing() {
      return await database.query({ text: "SELECT 1 / $1::int", values: [0] });
    }
    const error = await divideByNothing().then(
      () => null,
      (caught: Error) => caught,
    );
    expect(error).toMatchObject({ code: "22012" });
    expect(error?.stack).toContain("divideByNothing");
    expect(await database.query({ text: "SELECT 1 AS one" })).toEqual([{ one: 1 }]);
  });
});
