import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError, errorMessage } from "./errors.ts";
import { type Log, readServerLog } from "./server-log.ts";

/** Nothing of the service's own environment, which holds secrets; and PG* variables would change the server's mind. */
export const SERVER_ENVIRONMENT: Readonly<Record<string, string>> =
  process.platform === "win32" ? {} : { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" };

const READY_POLL_MS = 5;
const STILL_STARTING_MS = 10_000;
const LAST_WORDS_MS = 500;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Postmaster {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  signal(name: NodeJS.Signals): void;
}

export interface PostmasterOptions {
  clusterDir: string;
  binaries: Binaries;
  account: Account | null;
  settings: Readonly<Record<string, string>>;
  log: Log;
}

/** How the server names the folder it works in; see index.ts for why. */
export function dataDirArgument(directory: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : directory;
}

/**
 * Starts the server and waits until it takes connections, however long it needs to recover from a crash.
 *
 * @throws EmbeddedPostgresError `start_failed` with the server's last words, or `aborted`; no server is left then
 */
export async function startPostmaster(options: PostmasterOptions, signal: AbortSignal): Promise<Postmaster> {
  const { clusterDir, binaries, account, log } = options;
  if (signal.aborted) throw aborted();
  const args = ["-D", dataDirArgument(clusterDir)];
  for (const [name, value] of Object.entries(options.settings)) args.push("-c", `${name}=${value}`);
  const child = spawn(binaries.postgres, args, {
    cwd: clusterDir,
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
    // A session of its own: a terminal's Ctrl-C would end it while the service still drains.
    detached: process.platform !== "win32",
    windowsHide: true,
    ...(account ?? {}),
  });
  const output = readServerLog(child.stderr, log);
  // Not "close": the server's children have its stderr, and outlive a killed server for a while.
  const ended = new Promise<Exit | Error>((resolve) => {
    child.once("error", resolve);
    child.once("exit", (code, killedBy) => resolve({ code, signal: killedBy }));
  });
  let exit: Exit | Error | null = null;
  ended.then((how) => {
    exit = how;
  });
  if (child.pid === undefined) {
    const how = await ended;
    throw startFailed(how instanceof Error ? errorMessage(how) : "it has no process");
  }
  const { pid } = child;
  let reportAt = performance.now() + STILL_STARTING_MS;
  while (!(await isReady(clusterDir, pid))) {
    if (exit !== null) {
      await Promise.race([output.ended, delay(LAST_WORDS_MS)]);
      throw startFailed(output.lastLines() || JSON.stringify(exit));
    }
    if (signal.aborted) {
      child.kill("SIGQUIT");
      await ended;
      throw aborted();
    }
    if (performance.now() > reportAt) {
      reportAt += STILL_STARTING_MS;
      log("warn", "The database is still starting (it may be recovering from a crash).", { pid });
    }
    await delay(READY_POLL_MS);
  }
  return {
    pid,
    exited: ended.then((how) => (how instanceof Error ? { code: null, signal: null } : how)),
    // Windows has no signals; there pg_ctl brings the server the same message. Elsewhere ChildProcess.kill knows not to
    // send one to a process id that may be somebody else's by now.
    signal: (name) => {
      if (process.platform !== "win32") child.kill(name);
      else if (exit === null)
        spawn(binaries.pgCtl, ["kill", name.replace("SIG", ""), String(pid)], { stdio: "ignore" });
    },
  };
}

function startFailed(reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError("start_failed", `The built-in PostgreSQL doesn't start: ${reason}`);
}

function aborted(): EmbeddedPostgresError {
  return new EmbeddedPostgresError("aborted", "The start of the database was ended.");
}

/** The server writes its state to the eighth line of postmaster.pid, which is what pg_ctl waits for too. */
async function isReady(clusterDir: string, pid: number): Promise<boolean> {
  const file = await readPostmasterFile(clusterDir);
  return file?.pid === pid && file.state === "ready";
}

export interface PostmasterFile {
  pid: number;
  socketDirectory: string;
  state: string;
}

/** Null: there is none, as after a clean stop. */
export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(clusterDir, "postmaster.pid"), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n").map((line) => line.trim());
  return { pid: Number.parseInt(lines[0] ?? "", 10), socketDirectory: lines[4] ?? "", state: lines[7] ?? "" };
}
