import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { openDatabase } from "../database/database.ts";
import { migrate, readMigrations } from "../database/migrate.ts";
import { connectionFor, MIGRATIONS } from "../service.ts";
import { explainStartError } from "./explain-start-error.ts";
import { openLog } from "./log.ts";

/** A refusal, in words for who asked. */
class MigrateRefused extends Error {
  override readonly name = "MigrateRefused";
}

/**
 * Brings the configured database to this release's version without starting the service. A service does the same when
 * it starts; this is for those who migrate first and start many processes then.
 *
 * @returns the version the database is at, and those that this call applied
 * @throws ConfigError with every mistake of the environment; MigrateRefused when the database can't be used
 */
export async function migrateDatabase(
  environment: NodeJS.ProcessEnv,
): Promise<{ version: number; applied: number[] }> {
  const config = readConfig(environment);
  const logger = openLog(config.logLevel === "info" ? "warn" : config.logLevel);
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const connection = await connectionFor(config, logger, closers);
    const database = openDatabase({ connection, poolSize: 1 });
    closers.push(() => database.close());
    const migrations = await readMigrations(MIGRATIONS);
    const applied = await migrate(database, migrations, systemClock(config.clockStart ?? undefined));
    return { version: migrations.length, applied };
  } catch (error) {
    const explained = explainStartError(error, config);
    throw explained === null ? error : new MigrateRefused(explained, { cause: error });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
