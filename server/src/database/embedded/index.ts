/**
 * The built-in PostgreSQL: made, started, supervised and stopped by the service, on data that lies in DATA_DIR.
 *
 * **As root.** PostgreSQL refuses to run as root, so a service that runs as root lends it another account (`nobody`), and that
 * account can't enter a checkout below a home directory with mode 0700. What was weighed: a cluster elsewhere, such as
 * /var/lib (moving or removing DATA_DIR would then leave it behind); bind mounts and user namespaces (containers forbid
 * them). Taken: root enters the cluster's folder *before* it gives up its rights (libuv calls chdir before setuid), and
 * the server names the folder `/proc/self/cwd`. The kernel resolves that without walking the path, so the folders above
 * need not let anybody in, and paths can be as deep as they like. The data stays in DATA_DIR/postgres. It is done so on every
 * Linux, root or not, so that there is one way to run. Only the binaries can't be run like that (the loader looks for their
 * libraries by the real path): they are copied to where the account can read them, when it can't read them in place.
 *
 * **No TCP.** The server listens on a Unix socket in a folder of mode 0700 and trusts whoever reaches it. On Windows Node can't
 * reach such a socket: there it is a loopback port with a password.
 *
 * **One service per DATA_DIR** (lock.ts). **A server left behind** by a killed service is stopped at the next start
 * (predecessor.ts) rather than adopted: it may run with other settings and binaries, and this process couldn't see it end.
 */
import { mkdir, readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { chooseAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { createDatabase, DATABASE, MAINTENANCE_DATABASE, ROLE } from "./cluster.sql.ts";
import { ensureCluster, readPassword } from "./cluster.ts";
import { errorCode } from "./errors.ts";
import { lockDataDir } from "./lock.ts";
import { type Exit, startPostmaster } from "./postmaster.ts";
import { endPredecessor } from "./predecessor.ts";
import { clusterName } from "./processes.ts";
import type { Log } from "./server-log.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import { openSocketDirectory, PORT } from "./socket-directory.ts";
import { DEFAULT_STOP_TIMEOUT_MS, supervise } from "./supervise.ts";

export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from "./errors.ts";

export interface EmbeddedPostgresOptions {
  /** Made (mode 0700) when it is missing. Holds the cluster in `postgres/`. */
  dataDir: string;
  log: Log;
  /** Ends a start that is under way; `stop()` ends a server that runs. */
  signal?: AbortSignal;
  /** Added to the server's settings and stronger than them, such as `{ fsync: "off" }` for tests. */
  settings?: Readonly<Record<string, string>>;
  /** How long a fast shutdown may take before it becomes an immediate one. Default 30,000. */
  stopTimeoutMs?: number;
  /** The folder of the npm package with the binaries, when it isn't to be looked up. */
  packageDir?: string;
}

export interface EmbeddedPostgres {
  /** For `pg`. `host` is the folder of the Unix socket (on Windows 127.0.0.1, with a password). It outlives restarts. */
  readonly connection: { host: string; port: number; user: string; database: string; password?: string };
  /** The server's process id; 0 while it is being restarted. */
  readonly pid: number;
  /** How often the server was restarted after an unexpected end. */
  readonly restarts: number;
  /**
   * Settles when the server is gone for good, with how it ended: after `stop()`, or when it can't be restarted as its folder is
   * gone. Unexpected ends with a restart are in the log and in `restarts`.
   */
  readonly exited: Promise<Exit>;
  /** Fast shutdown: open connections end, committed data is on disk. Settles when the server is gone. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the built-in PostgreSQL and keeps it running: a server that dies is restarted in place, with a growing delay
 * of at most 10 s. Settles when it takes connections and the service's (empty) database exists.
 *
 * @throws EmbeddedPostgresError with a message that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const signal = options.signal ?? new AbortController().signal;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const clusterDir = join(dataDir, "postgres");
  /** What must be undone, last first, when the start fails and when it stops. */
  const undo: (() => Promise<void>)[] = [];
  const undoAll = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next();
  };

  try {
    const lock = await lockDataDir(dataDir, log);
    undo.push(() => lock.release());
    const account = await chooseAccount(clusterDir);
    const binaries = await findBinaries({ dataDir, account, packageDir: options.packageDir });
    const sync = options.settings?.fsync !== "off";
    await ensureCluster({ dataDir, clusterDir, binaries, account, sync, log, signal });

    const owner = (await stat(clusterDir)).uid;
    const name = await clusterName(clusterDir);
    const clear = () => endPredecessor({ clusterDir, name, owner, log });
    await clear();

    const { connection, settings, remove } = await chooseAddress(dataDir, clusterDir, account);
    undo.push(remove);
    const launch = (stopping: AbortSignal) =>
      startPostmaster(
        {
          clusterDir,
          binaries,
          account,
          settings: { ...DEFAULT_SETTINGS, ...options.settings, ...settings, cluster_name: name },
          log,
        },
        stopping,
      );
    const supervisor = supervise({
      first: await launch(signal),
      restart: async (stopping) => {
        await clear();
        return launch(stopping);
      },
      canRestart: () =>
        readFile(join(clusterDir, "PG_VERSION")).then(
          () => true,
          () => false,
        ),
      stopTimeoutMs: options.stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS,
      log,
    });
    undo.push(() => supervisor.stop());
    // A service that ends without stop() (an uncaught error) still lets the server shut down properly.
    const farewell = () => supervisor.current()?.signal("SIGINT");
    process.once("exit", farewell);
    undo.push(async () => {
      process.removeListener("exit", farewell);
    });
    await ensureDatabase(connection);

    let stopped: Promise<void> | undefined;
    return {
      connection,
      get pid() {
        return supervisor.current()?.pid ?? 0;
      },
      get restarts() {
        return supervisor.restarts();
      },
      exited: supervisor.ended,
      stop: () => {
        stopped ??= undoAll();
        return stopped;
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

type Address = {
  connection: EmbeddedPostgres["connection"];
  settings: Record<string, string>;
  remove: () => Promise<void>;
};

async function chooseAddress(
  dataDir: string,
  clusterDir: string,
  account: { uid: number; gid: number } | null,
): Promise<Address> {
  if (process.platform === "win32") {
    const port = await freePort();
    const password = await readPassword(dataDir);
    return {
      connection: { host: "127.0.0.1", port, user: ROLE, database: DATABASE, password },
      settings: { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" },
      remove: async () => {},
    };
  }
  const socket = await openSocketDirectory(clusterDir, account);
  const serverPath = socket.isCluster && process.platform === "linux" ? "/proc/self/cwd" : socket.path;
  return {
    connection: { host: socket.path, port: PORT, user: ROLE, database: DATABASE },
    settings: {
      listen_addresses: "",
      port: String(PORT),
      // A list: without the quotes a comma in the path would end an entry.
      unix_socket_directories: `"${serverPath.replaceAll('"', '""')}"`,
    },
    remove: () => socket.remove(),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Also proves that the server can be reached. */
async function ensureDatabase(connection: EmbeddedPostgres["connection"]): Promise<void> {
  try {
    await run(connection);
  } catch (error) {
    const DATABASE_MISSING = "3D000";
    if (errorCode(error) !== DATABASE_MISSING) throw error;
    await run({ ...connection, database: MAINTENANCE_DATABASE }, createDatabase);
  }
}

async function run(connection: EmbeddedPostgres["connection"], statement?: string): Promise<void> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    if (statement !== undefined) await client.query(statement);
  } finally {
    await client.end();
  }
}
