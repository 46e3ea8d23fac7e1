import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "./errors.ts";
import type { Exit, Postmaster } from "./postmaster.ts";
import type { Log } from "./server-log.ts";

/** The delay before the nth restart in a row: none, 100 ms, 200 ms, … 10 s. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A server that ran this long starts the count anew. */
const STABLE_MS = 30_000;

/** From fast shutdown (with a checkpoint) to immediate shutdown to the hard way. */
export const DEFAULT_STOP_TIMEOUT_MS = 30_000;
const IMMEDIATE_STOP_MS = 5_000;

export interface SupervisorOptions {
  first: Postmaster;
  /** Clears away what the dead server left, and starts another in its place. */
  restart: (signal: AbortSignal) => Promise<Postmaster>;
  /** False: the cluster is gone, so no restart can help. */
  canRestart: () => Promise<boolean>;
  stopTimeoutMs: number;
  log: Log;
}

export interface Supervisor {
  /** Null while no server runs. */
  current(): Postmaster | null;
  restarts(): number;
  /** Settles when the server is gone for good: the supervisor gave up, or `stop` is done. */
  ended: Promise<Exit>;
  stop(): Promise<void>;
}

/** Keeps one server running in one place, until it is told to stop. */
export function supervise(options: SupervisorOptions): Supervisor {
  const { log } = options;
  const stopping = new AbortController();
  let current: Postmaster | null = options.first;
  let restarts = 0;
  let stopped: Promise<void> | undefined;

  async function keepRunning(): Promise<Exit> {
    let server = options.first;
    for (let failures = 0; ; ) {
      const startedAt = performance.now();
      const exit = await server.exited;
      current = null;
      if (stopping.signal.aborted) return exit;
      log("error", "The database server ended unexpectedly; restarting it.", { pid: server.pid, ...exit });
      if (performance.now() - startedAt > STABLE_MS) failures = 0;
      for (let next: Postmaster | null = null; next === null; failures++) {
        next = await attempt(failures);
        if (next !== null) server = current = next;
        else if (stopping.signal.aborted) return exit;
        else if (!(await options.canRestart())) {
          log("error", "The database's folder is gone; the database server can't be restarted.");
          return exit;
        }
      }
      restarts++;
      log("info", "The database server runs again.", { pid: server.pid, restarts });
    }
  }

  async function attempt(failures: number): Promise<Postmaster | null> {
    try {
      if (failures > 0) {
        const wait = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
        await delay(wait, undefined, { signal: stopping.signal });
      }
      return await options.restart(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted)
        log("error", "The database server didn't restart.", { reason: errorMessage(error) });
      return null;
    }
  }

  const ended = keepRunning();

  async function stop(): Promise<void> {
    stopping.abort();
    const steps = [
      { signal: "SIGINT", waitMs: options.stopTimeoutMs },
      { signal: "SIGQUIT", waitMs: IMMEDIATE_STOP_MS },
      { signal: "SIGKILL", waitMs: IMMEDIATE_STOP_MS },
    ] as const;
    for (const { signal, waitMs } of steps) {
      if (signal !== "SIGINT") log("warn", `The database server doesn't stop; sending ${signal}.`);
      current?.signal(signal);
      const timeout = new AbortController();
      const inTime = await Promise.race([
        ended.then(() => true),
        delay(waitMs, false, { signal: timeout.signal }).catch(() => false),
      ]);
      timeout.abort();
      if (inTime) return;
    }
  }

  return {
    current: () => current,
    restarts: () => restarts,
    ended,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
