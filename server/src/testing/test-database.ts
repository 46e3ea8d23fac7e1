import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { ConnectionOptions } from "../database/database.ts";
import { TEMPLATE } from "./global-setup.ts";

export interface TestDatabase {
  connection: ConnectionOptions;
  /** Drops it, with whatever is still connected. */
  drop(): Promise<void>;
}

/** A migrated database of one's own. */
export async function createTestDatabase(template: string | null = TEMPLATE): Promise<TestDatabase> {
  const server = inject("postgres");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const run = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name}${template === null ? "" : ` TEMPLATE ${template}`}`);
  return {
    connection: { ...server, database: name },
    drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
