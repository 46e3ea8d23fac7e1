import type { Clock } from "../clock.ts";

/** A clock that stands still until it is moved. Scheduled callbacks run, in order, as it passes their time. */
export interface ManualClock extends Clock {
  /** Moves the clock forward by `ms` milliseconds and runs what has come due. */
  advance(ms: number): void;
  /** Moves the clock to `at` (milliseconds since the epoch), which must not be in its past. */
  moveTo(at: number): void;
  /** How many callbacks are waiting: what a test that stops everything expects to be 0. */
  pending(): number;
}

export function manualClock(startAt = Date.UTC(2026, 0, 5, 12)): ManualClock {
  let current = startAt;
  const waiting = new Set<{ at: number; callback: () => void }>();
  const moveTo = (at: number) => {
    if (at < current) throw new Error("a clock does not run backwards");
    for (;;) {
      let next: { at: number; callback: () => void } | undefined;
      for (const entry of waiting) if (entry.at <= at && (!next || entry.at < next.at)) next = entry;
      if (!next) break;
      waiting.delete(next);
      current = Math.max(current, next.at);
      next.callback();
    }
    current = at;
  };
  return {
    now: () => current,
    schedule(at, callback) {
      const entry = { at, callback };
      waiting.add(entry);
      if (at <= current) {
        queueMicrotask(() => {
          if (waiting.delete(entry)) callback();
        });
      }
      return () => void waiting.delete(entry);
    },
    advance: (ms) => moveTo(current + ms),
    moveTo,
    pending: () => waiting.size,
  };
}
