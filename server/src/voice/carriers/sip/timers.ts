import type { Clock } from "../../../clock.ts";

/** RFC 3261, table 4: milliseconds. */
export const T1 = 500;
export const T2 = 4_000;
export const T4 = 5_000;
/** Timers B, F, H and J: a transaction that got no further in this time never will. */
export const TRANSACTION_MS = 64 * T1;
/** Timer D: how long late answers to an INVITE are acknowledged. */
export const TIMER_D = 32_000;

/** The timers of one transaction: all of them are stopped at once. */
export interface Timers {
  after(ms: number, callback: () => void): () => void;
  /** Calls again and again, twice as late each time, but not later than `longest` apart. */
  repeat(first: number, longest: number, callback: () => void): () => void;
  stop(): void;
}

export function createTimers(clock: Clock): Timers {
  const cancels = new Set<() => void>();
  let stopped = false;
  const after = (ms: number, callback: () => void) => {
    if (stopped) return () => undefined;
    const cancel = clock.schedule(clock.now() + ms, () => {
      cancels.delete(cancel);
      callback();
    });
    cancels.add(cancel);
    return () => {
      cancels.delete(cancel);
      cancel();
    };
  };
  return {
    after,
    repeat(first, longest, callback) {
      let cancel: () => void = () => undefined;
      let isOver = false;
      const arm = (ms: number) => {
        cancel = after(ms, () => {
          callback();
          if (!isOver) arm(Math.min(2 * ms, longest));
        });
      };
      arm(first);
      return () => {
        isOver = true;
        cancel();
      };
    },
    stop() {
      stopped = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}
