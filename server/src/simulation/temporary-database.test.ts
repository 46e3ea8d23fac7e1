import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, inject, it } from "vitest";
import { openDatabase } from "../database/database.ts";
import { MIGRATIONS } from "../service.ts";
import { openTemporaryDatabase } from "./temporary-database.ts";

it("makes a database beside the one that is configured, and removes it", async () => {
  const server = inject("postgres");
  const url = new URL(`postgres://localhost/${server.database}`);
  for (const [name, value] of Object.entries(server)) url.searchParams.set(name, String(value));
  url.searchParams.delete("database");
  const admin = openDatabase({ connection: server, poolSize: 1 });
  const databases = () =>
    admin.query<{ datname: string }>({
      text: "SELECT datname FROM pg_database WHERE datname LIKE 'outreach_simulation_%'",
    });
  try {
    const before = await databases();
    const { database, remove } = await openTemporaryDatabase({
      ...{ databaseUrl: url.href, migrations: MIGRATIONS, poolSize: 2 },
    });
    const own = await databases();
    expect(own).toHaveLength(before.length + 1);
    const rows = await database.query({ text: "SELECT FROM dial_entries" });
    expect(rows).toEqual([]);
    const [current] = await database.query<{ name: string }>({ text: "SELECT current_database() AS name" });
    expect(own.map(({ datname }) => datname)).toContain(current!.name);
    await remove();
    expect(await databases()).toEqual(before);
  } finally {
    await admin.close();
  }
});

it("starts a database in a temporary folder, and removes it", async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("outreach-simulation-"));
  const before = folders();
  const { database, remove } = await openTemporaryDatabase({
    ...{ databaseUrl: null, migrations: MIGRATIONS, poolSize: 2 },
  });
  const [fsync] = await database.query<{ fsync: string }>({ text: "SHOW fsync" });
  expect(fsync).toEqual({ fsync: "off" });
  const [own] = folders().filter((name) => !before.includes(name));
  await remove();
  expect(existsSync(`${tmpdir()}/${own}`)).toBe(false);
});
