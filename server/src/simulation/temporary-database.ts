import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { type ConnectionOptions, type Database, openDatabase } from "../database/database.ts";
import { migrate, readMigrations } from "../database/migrate.ts";
import { dialerSettings } from "../features/dialing/index.ts";
import * as sql from "./simulation.sql.ts";

export interface TemporaryDatabase {
  database: Database;
  /** Removes it with everything in it. */
  remove(): Promise<void>;
}

/** What would survive a crash is of no use here: it is thrown away at the end. */
const NOT_DURABLE = {
  fsync: "off",
  full_page_writes: "off",
  max_wal_size: "4GB",
  shared_buffers: "512MB",
};
const FORGETFUL = { synchronous_commit: "off" };

/**
 * A migrated database that nothing else uses: on the server that `databaseUrl` names, beside its own, or on a built-in one in a
 * temporary folder.
 * @throws Error of the database server, such as one for too few rights to create a database
 */
export async function openTemporaryDatabase(options: {
  databaseUrl: string | null;
  migrations: string;
  poolSize: number;
  /** Ends the start of a built-in server. */
  signal?: AbortSignal;
}): Promise<TemporaryDatabase> {
  const { databaseUrl, signal } = options;
  const place = databaseUrl === null ? await builtIn(signal) : await beside(databaseUrl);
  const database = openDatabase({
    connection: place.connection,
    poolSize: options.poolSize,
    settings: { ...dialerSettings, ...FORGETFUL },
    onError: () => {},
  });
  const remove = async () => {
    await database.close();
    await place.remove();
  };
  try {
    await migrate(database, await readMigrations(options.migrations), systemClock());
    return { database, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Place {
  connection: ConnectionOptions;
  remove(): Promise<void>;
}

async function builtIn(signal: AbortSignal | undefined): Promise<Place> {
  // Loaded only where it is used: with DATABASE_URL there is no need of it.
  const { startEmbeddedPostgres } = await import("../database/embedded/index.ts");
  const folder = await mkdtemp(join(tmpdir(), "outreach-simulation-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, "data"),
      settings: NOT_DURABLE,
      log: () => {},
      ...(signal && { signal }),
    });
    return {
      connection: server.connection,
      async remove() {
        await server.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function beside(databaseUrl: string): Promise<Place> {
  const name = `outreach_simulation_${randomUUID().replaceAll("-", "")}`;
  const onServer = async (text: string) => {
    const server = openDatabase({
      connection: { connectionString: databaseUrl },
      poolSize: 1,
      onError: () => {},
    });
    try {
      await server.query({ text });
    } finally {
      await server.close();
    }
  };
  await onServer(sql.createDatabase(name));
  const own = new URL(databaseUrl);
  own.pathname = `/${name}`;
  return { connection: { connectionString: own.href }, remove: () => onServer(sql.dropDatabase(name)) };
}
