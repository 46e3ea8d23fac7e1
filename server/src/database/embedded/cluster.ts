import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Account, giveTo } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { ROLE } from "./cluster.sql.ts";
import { EmbeddedPostgresError, errorCode, errorMessage, USE_DATABASE_URL } from "./errors.ts";
import { dataDirArgument, SERVER_ENVIRONMENT } from "./postmaster.ts";
import type { Log } from "./server-log.ts";

/** What initdb makes gets the cluster's name only when it is whole. */
const UNFINISHED_PREFIX = "postgres.initializing-";

export interface ClusterOptions {
  dataDir: string;
  clusterDir: string;
  binaries: Binaries;
  account: Account | null;
  /** Whether a new cluster is forced to disk before it counts as made. */
  sync: boolean;
  log: Log;
  signal: AbortSignal;
}

/**
 * Makes the cluster if there is none, else checks that these binaries can run it. A start that was killed in the middle of
 * this leaves nothing that the next one would take for a cluster.
 *
 * @throws EmbeddedPostgresError `cluster_version_mismatch`, `cluster_unusable`, `start_failed`, `aborted`
 */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  await removeUnfinished(options.dataDir);
  if (await checkExisting(options)) {
    // PostgreSQL refuses a cluster that others may read, which is what a `chmod -R` leaves behind.
    await chmod(options.clusterDir, 0o700);
    await giveTo(options.account, options.clusterDir);
    return;
  }
  options.log("info", "Making the database (first start).", { directory: options.clusterDir });
  const unfinished = await mkdtemp(join(options.dataDir, UNFINISHED_PREFIX));
  try {
    await giveTo(options.account, unfinished);
    await initialize(unfinished, options);
    await rename(unfinished, options.clusterDir);
    await syncDirectory(options.dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 20 });
    throw error;
  }
}

/** The password of the database on Windows, where Node's sockets can't reach PostgreSQL's and it listens on a loopback port. */
export async function readPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, "postgres.password");
  try {
    await writeFile(path, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  return readFile(path, "utf8");
}

/**
 * Its initdb may still be running, orphaned: it fails at the next file that it wants to make, so removing is repeated
 * until it works.
 */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED_PREFIX)) {
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
    }
  }
}

/** False: there is none. */
async function checkExisting({ clusterDir, binaries }: ClusterOptions): Promise<boolean> {
  let entries: string[];
  try {
    entries = await readdir(clusterDir);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw new EmbeddedPostgresError(
      "cluster_unusable",
      `The database's folder ${clusterDir} can't be read (${errorMessage(error)}).`,
      { cause: error },
    );
  }
  if (entries.length === 0) return false;
  const version = await readFile(join(clusterDir, "PG_VERSION"), "utf8").catch(() => null);
  if (version === null) {
    throw new EmbeddedPostgresError(
      "cluster_unusable",
      `${clusterDir} isn't empty, but no PostgreSQL database either. Move it away, or choose another DATA_DIR.`,
    );
  }
  if (Number.parseInt(version, 10) !== binaries.major) {
    throw new EmbeddedPostgresError(
      "cluster_version_mismatch",
      `The database in ${clusterDir} was made by PostgreSQL ${version.trim()}, but the built-in one is ${binaries.major}.` +
        ` Start the version of this service that made it, export with pg_dump ${version.trim()} and import into a new DATA_DIR;` +
        ` or run PostgreSQL ${version.trim()} on this folder yourself and ${USE_DATABASE_URL}.`,
    );
  }
  return true;
}

async function initialize(directory: string, options: ClusterOptions): Promise<void> {
  const { binaries, account, dataDir, signal } = options;
  const args = ["-D", dataDirArgument(directory), "--username", ROLE, "--encoding", "UTF8"];
  // The builtin provider sorts and folds case alike on every machine, whatever C library an upgrade brings.
  args.push("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8");
  args.push("--data-checksums", "--no-instructions");
  if (!options.sync) args.push("--no-sync");
  if (process.platform === "win32") {
    await readPassword(dataDir);
    args.push("--auth", "scram-sha-256", "--pwfile", join(dataDir, "postgres.password"));
  } else {
    // The socket is in a folder that only its owner can enter.
    args.push("--auth-local", "trust", "--auth-host", "reject");
  }
  const child = spawn(binaries.initdb, args, {
    cwd: directory,
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own: Ctrl-C is the service's to handle, and an abort ends initdb with the servers it runs.
    detached: process.platform !== "win32",
    ...(account ?? {}),
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const abort = () => {
    if (child.pid !== undefined)
      process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  const outcome = await new Promise<number | NodeJS.Signals | Error | null>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code, killedBy) => resolve(killedBy ?? code));
  });
  signal.removeEventListener("abort", abort);
  if (signal.aborted) throw new EmbeddedPostgresError("aborted", "The start of the database was ended.");
  if (outcome === 0) return;
  const reason =
    outcome instanceof Error ? outcome.message : complaint.trim() || `initdb ended with ${outcome}`;
  throw new EmbeddedPostgresError(
    "start_failed",
    `The database couldn't be made in ${options.dataDir}: ${reason}. Correct that, or ${USE_DATABASE_URL}.`,
  );
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
