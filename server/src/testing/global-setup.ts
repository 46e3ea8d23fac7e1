import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { systemClock } from "../clock.ts";
import { type ConnectionOptions, openDatabase } from "../database/database.ts";
import { migrate, readMigrations } from "../database/migrate.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgres: ConnectionOptions;
  }
}

export const TEMPLATE = "outreach_template";
const PREPARE = new URL("../../../scripts/prepare.mjs", import.meta.url).href;
const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));

/**
 * One PostgreSQL for all tests: the embedded one, or the server that TEST_DATABASE_URL names. Each test file clones a
 * migrated template, which takes milliseconds.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The tests run the sources, which a worker thread can't.
  const { buildStale } = (await import(PREPARE)) as { buildStale(name: string): void };
  buildStale("speech");
  const given = process.env.TEST_DATABASE_URL;
  const dataDir = given ? null : await mkdtemp(join(tmpdir(), "outreach-test-"));
  const server = dataDir
    ? await (await import("../database/embedded/index.ts")).startEmbeddedPostgres({
        dataDir,
        log: (level, message) => level === "error" && process.stderr.write(`${message}\n`),
        settings: {
          fsync: "off",
          synchronous_commit: "off",
          full_page_writes: "off",
          max_connections: "300",
        },
      })
    : null;
  const connection: ConnectionOptions = server ? server.connection : fromUrl(given!);

  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`);
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  await admin.end();
  const database = openDatabase({ connection: { ...connection, database: TEMPLATE }, poolSize: 1 });
  await migrate(database, await readMigrations(MIGRATIONS), systemClock());
  await database.close();

  project.provide("postgres", connection);
  return async () => {
    await server?.stop();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  };
}

function fromUrl(text: string): ConnectionOptions {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1) || "postgres",
  };
}
