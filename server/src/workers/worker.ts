import type { Clock } from "../clock.ts";

/** What a round of work says of the next one. */
export interface RoundResult {
  /** There is more to do right now. */
  again?: boolean;
  /** Milliseconds since the epoch: something comes due then. */
  nextAt?: number | undefined;
}

export interface Worker {
  /** Runs a round soon: at once when idle, else right after the current one. */
  wake(): void;
  /** Begins no further round and resolves when the current one has ended. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  clock: Clock;
  /** A round begins at least this often, whether woken or not. */
  intervalMs: number;
  /** One round of work. `signal` aborts when the worker is asked to stop. */
  round(signal: AbortSignal): Promise<RoundResult>;
  /** A round that throws is reported here; the next one begins after a pause. */
  onError(error: unknown): void;
}

const PAUSE_AFTER_ERROR_MS = 1_000;

/** The one loop that every background worker runs in. The first round begins at once. */
export function startWorker({ clock, intervalMs, round, onError }: WorkerOptions): Worker {
  const controller = new AbortController();
  let wakeUp: (() => void) | undefined;
  let woken = false;

  const sleepUntil = (at: number) =>
    new Promise<void>((resolve) => {
      if (woken || controller.signal.aborted) return resolve();
      const cancel = clock.schedule(at, resolve);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });

  const loop = async () => {
    while (!controller.signal.aborted) {
      woken = false;
      let next = clock.now() + intervalMs;
      try {
        const result = await round(controller.signal);
        if (result.again) continue;
        next = Math.min(clock.now() + intervalMs, result.nextAt ?? Number.POSITIVE_INFINITY);
      } catch (error) {
        if (controller.signal.aborted) break;
        onError(error);
        // Woken or not: a database that is away isn't asked in a tight loop.
        await pause(PAUSE_AFTER_ERROR_MS, controller.signal);
        continue;
      }
      await sleepUntil(next);
      wakeUp = undefined;
    }
  };
  const ended = loop();

  return {
    wake() {
      woken = true;
      wakeUp?.();
    },
    async stop() {
      controller.abort();
      wakeUp?.();
      await ended;
    },
  };
}

/** Real time, not the service's clock: it is about sparing a machine, not about when something is due. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
