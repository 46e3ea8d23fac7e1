/** Any number of its own; held for the session while migrations run. */
const LOCK = 7_236_118_402;

export const lockMigrations = `SELECT pg_advisory_lock(${LOCK})`;
export const unlockMigrations = `SELECT pg_advisory_unlock(${LOCK})`;

export const createMigrationTable = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL
  )`;

export const appliedMigrations = "SELECT version, name, checksum FROM schema_migrations ORDER BY version";

export const recordMigration =
  "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)";
