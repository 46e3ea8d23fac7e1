import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, stat, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { EmbeddedPostgresError, errorCode, errorMessage } from "./errors.ts";
import type { Log } from "./server-log.ts";

export interface DataDirLock {
  release(): Promise<void>;
}

const FILE_NAME = "service.lock";
/** How long the holder may take to say its process id; it holds the lock whether it answers or not. */
const ANSWER_TIMEOUT_MS = 500;
/** macOS and the BSDs; Node doesn't name it. */
const O_EXLOCK = 0x20;

/**
 * Takes the data folder for this process. The kernel holds the lock and lets go of it when the process ends, however it
 * ends, so there is nothing stale to clean up and no process id to misjudge:
 *
 * - Linux: an abstract Unix socket named after the folder's device and inode. Taking it is atomic. It is only
 *   seen within one network namespace, so a socket in the folder itself stands guard against services in other containers.
 * - Windows: a named pipe. Other systems: an exclusive lock on a file.
 *
 * Two machines on one network file system don't see each other.
 *
 * @throws EmbeddedPostgresError `data_dir_in_use`, naming the process that holds it
 */
export async function lockDataDir(dataDir: string, log: Log): Promise<DataDirLock> {
  if (process.platform === "linux") return lockOnLinux(dataDir, log);
  if (process.platform === "win32") {
    const digest = createHash("sha256").update(dataDir.toLowerCase()).digest("hex").slice(0, 32);
    const server = await holdName(`\\\\.\\pipe\\outreach-${digest}`, dataDir);
    return { release: () => close(server) };
  }
  return lockFile(join(dataDir, FILE_NAME), dataDir);
}

async function lockOnLinux(dataDir: string, log: Log): Promise<DataDirLock> {
  const { dev, ino } = await stat(dataDir, { bigint: true });
  const name = await holdName(`\0outreach-data-dir-${dev}-${ino}`, dataDir);
  // A path through the descriptor is short, however deep the folder is: a socket's path has 107 bytes at most.
  const folder = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  const path = `/proc/self/fd/${folder.fd}/${FILE_NAME}`;
  const release = async (guard: Server | null) => {
    if (guard !== null) await close(guard);
    await folder.close();
    await close(name);
  };
  try {
    const holder = await askHolder(path);
    if (holder !== null) throw inUse(dataDir, holder.pid, " in another container");
    await unlink(path).catch(() => {});
    const guard = await listen(path);
    return { release: () => release(guard) };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) {
      await release(null);
      throw error;
    }
    log(
      "warn",
      "The data folder can't hold sockets: a second service in another container wouldn't be noticed.",
      {
        reason: errorMessage(error),
      },
    );
    return { release: () => release(null) };
  }
}

async function holdName(name: string, dataDir: string): Promise<Server> {
  try {
    return await listen(name);
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    throw inUse(dataDir, (await askHolder(name))?.pid ?? null);
  }
}

async function lockFile(path: string, dataDir: string): Promise<DataDirLock> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    if (errorCode(error) !== "EAGAIN") throw error;
    const reader = await open(path, "r");
    const pid = Number.parseInt(await reader.readFile("utf8"), 10);
    await reader.close();
    throw inUse(dataDir, Number.isNaN(pid) ? null : pid);
  }
  await file.truncate();
  await file.write(`${process.pid}\n`, 0);
  return { release: () => file.close() };
}

function inUse(dataDir: string, pid: number | null, where = ""): EmbeddedPostgresError {
  const holder = pid === null ? "" : ` (process ${pid}${where})`;
  return new EmbeddedPostgresError(
    "data_dir_in_use",
    `Another Outreach service${holder} is running on the data folder ${dataDir}. Stop it first, or give this one a` +
      " folder of its own with DATA_DIR. Several services share one database with DATABASE_URL.",
  );
}

/** A server that tells its process id to whoever asks. It doesn't keep the process alive. */
function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(`${process.pid}\n`);
    });
    server.once("error", reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Null when nobody holds the name. */
function askHolder(path: string): Promise<{ pid: number | null } | null> {
  return new Promise((resolve) => {
    let connected = false;
    let answer = "";
    const socket = connect(path);
    const done = () => {
      socket.destroy();
      const pid = Number.parseInt(answer, 10);
      resolve(connected ? { pid: Number.isNaN(pid) ? null : pid } : null);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, done);
    socket.on("connect", () => {
      connected = true;
    });
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", done);
    socket.on("close", done);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
