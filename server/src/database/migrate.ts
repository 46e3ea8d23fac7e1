import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Clock } from "../clock.ts";
import { type Database, timestamp } from "./database.ts";
import {
  appliedMigrations,
  createMigrationTable,
  lockMigrations,
  recordMigration,
  unlockMigrations,
} from "./migrate.sql.ts";

export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** The database can't be used by this version of the service. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** Reads `NNNN_name.sql` files in order. @throws MigrationError when a number is missing or stands twice. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const match = FILE.exec(file);
    if (!match) continue;
    const sql = await readFile(join(directory, file), "utf8");
    migrations.push({
      version: Number(match[1]),
      name: match[2]!,
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
    });
  }
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) {
      throw new MigrationError(`Migration ${index + 1} is missing or stands twice in ${directory}.`);
    }
  });
  if (migrations.length === 0) throw new MigrationError(`There are no migrations in ${directory}.`);
  return migrations;
}

/**
 * Brings the database to the newest version, each migration in a transaction of its own. Several starters at once are
 * safe: a session lock lets one work while the others wait and then find nothing left to do.
 * @returns the versions that this call applied
 * @throws MigrationError when the database is newer than this code, or was migrated by other texts than these
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<number[]> {
  return database.withConnection(async (client) => {
    await client.query(lockMigrations);
    try {
      await client.query(createMigrationTable);
      const pending = await checkApplied(client, migrations);
      for (const migration of pending) {
        await client.query("BEGIN");
        try {
          await client.query(migration.sql);
          await client.query(recordMigration, [
            migration.version,
            migration.name,
            migration.checksum,
            timestamp(clock.now()),
          ]);
          await client.query("COMMIT");
        } catch (error) {
          await client.query("ROLLBACK");
          throw error;
        }
      }
      return pending.map((migration) => migration.version);
    } finally {
      await client.query(unlockMigrations);
    }
  });
}

/** True when exactly these migrations have been applied. */
export async function isMigrated(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  const rows = await database.query<{ version: number }>({ text: appliedMigrations });
  return rows.length === migrations.length;
}

async function checkApplied(
  client: pg.PoolClient,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(appliedMigrations);
  const newest = rows.at(-1)?.version ?? 0;
  if (newest > migrations.length) {
    throw new MigrationError(
      `The database is at version ${newest} (${rows.at(-1)?.name}), but this release only knows up to version ${migrations.length}. ` +
        "A newer release has used it: run that release or a newer one, or restore a backup from before the upgrade.",
    );
  }
  for (const row of rows) {
    const migration = migrations[row.version - 1];
    if (migration?.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.version} (${row.name}) was applied with another text than this release has. ` +
          "Applied migrations must never be edited: use the release that applied it, and add a new migration instead.",
      );
    }
  }
  return migrations.slice(rows.length);
}
