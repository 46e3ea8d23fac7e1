import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { type Database, openDatabase } from "./database.ts";
import { isMigrated, migrate, readMigrations } from "./migrate.ts";

describe("migrate", () => {
  let empty: TestDatabase;
  let databases: Database[];
  let folder: string;
  const clock = systemClock();
  const open = () => {
    const database = openDatabase({ connection: empty.connection, poolSize: 2 });
    databases.push(database);
    return database;
  };
  const files = async (...texts: string[]) => {
    for (const [index, text] of texts.entries())
      await writeFile(join(folder, `000${index + 1}_step.sql`), text);
    return readMigrations(folder);
  };

  beforeEach(async () => {
    empty = await createTestDatabase(null);
    databases = [];
    folder = await mkdtemp(join(tmpdir(), "outreach-migrations-"));
  });
  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await empty.drop();
    await rm(folder, { recursive: true });
  });

  it("applies each once, in order, and knows when it is done", async () => {
    const database = open();
    const one = await files("CREATE TABLE a (id int)");
    expect(await migrate(database, one, clock)).toEqual([1]);
    const two = await files("CREATE TABLE a (id int)", "ALTER TABLE a ADD b int");
    expect(await isMigrated(database, two)).toBe(false);
    expect(await migrate(database, two, clock)).toEqual([2]);
    expect(await migrate(database, two, clock)).toEqual([]);
    expect(await isMigrated(database, two)).toBe(true);
  });

  it("is safe with several starters at once", async () => {
    const migrations = await files(
      "CREATE TABLE a (id int); SELECT pg_sleep(0.05)",
      "CREATE TABLE b (id int)",
    );
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(open(), migrations, clock)));
    expect(applied.flat().sort()).toEqual([1, 2]);
  });

  it("takes nothing of a migration that fails", async () => {
    const database = open();
    const broken = await files("CREATE TABLE a (id int)", "CREATE TABLE b (id int); SELECT 1/0");
    await expect(migrate(database, broken, clock)).rejects.toThrow("division by zero");
    const tables = await database.query<{ a: string | null; b: string | null }>({
      text: "SELECT to_regclass('a') AS a, to_regclass('b') AS b",
    });
    expect(tables).toEqual([{ a: "a", b: null }]);
  });

  it("refuses a database that is newer than the code", async () => {
    const two = await files("CREATE TABLE a (id int)", "CREATE TABLE b (id int)");
    await migrate(open(), two, clock);
    await expect(migrate(open(), two.slice(0, 1), clock)).rejects.toThrow(
      /database is at version 2.*only knows up to version 1/s,
    );
  });

  it("refuses a database that was migrated by another text", async () => {
    await migrate(open(), await files("CREATE TABLE a (id int)"), clock);
    await expect(migrate(open(), await files("CREATE TABLE a (id bigint)"), clock)).rejects.toThrow(
      /applied with another text/,
    );
  });

  it("refuses numbers that are missing", async () => {
    await writeFile(join(folder, "0002_step.sql"), "SELECT 1");
    await expect(readMigrations(folder)).rejects.toThrow(/Migration 1 is missing/);
  });
});
