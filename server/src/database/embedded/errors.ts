export type EmbeddedPostgresErrorCode =
  /** Another service, or a PostgreSQL that this process can't see, works on the same data folder. */
  | "data_dir_in_use"
  /** No binaries exist for this operating system, processor or C library. */
  | "platform_unsupported"
  /** Binaries exist for this platform, but they aren't installed or can't be run. */
  | "binaries_unusable"
  /** The cluster was made by another major version. */
  | "cluster_version_mismatch"
  /** The cluster belongs to another user of this machine. */
  | "cluster_owner_mismatch"
  /** The cluster's folder holds something else, or can't be prepared. */
  | "cluster_unusable"
  /** initdb or the server ended before it was ready. */
  | "start_failed"
  /** The caller's signal ended the start. */
  | "aborted";

/** Why the built-in PostgreSQL doesn't start. The message says what to do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The way out that every platform has. */
export const USE_DATABASE_URL =
  "use a PostgreSQL of your own (15 or newer) with DATABASE_URL=postgres://user:password@host:5432/database";

/** The `code` of a system error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
