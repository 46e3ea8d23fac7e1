/**
 * The service's own clock. Everything that depends on time (expiry, retries, retention, timestamps) asks it,
 * never `Date.now()` and never the database, so that `CLOCK_START` and the tests can move all of it at once.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, on this clock. */
  now(): number;
  /**
   * Calls `callback` once when this clock reads `at` (milliseconds since the epoch) or later.
   * Returns a function that cancels it. The timer does not keep the process alive.
   */
  schedule(at: number, callback: () => void): () => void;
}

/** setTimeout takes a 32-bit delay; a longer one would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * The system's clock, or one that reads `startAt` (milliseconds since the epoch) at this moment and runs on at
 * normal pace from there.
 */
export function systemClock(startAt?: number): Clock {
  const monotonicStart = performance.now();
  const now =
    startAt === undefined ? () => Date.now() : () => Math.floor(startAt + performance.now() - monotonicStart);
  return {
    now,
    schedule(at, callback) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const delay = at - now();
        if (delay <= 0) timer = setTimeout(callback, 0);
        else if (delay > LONGEST_DELAY_MS) timer = setTimeout(arm, LONGEST_DELAY_MS);
        // A timer may fire up to a millisecond early: look at the clock again before calling.
        else timer = setTimeout(() => (now() >= at ? callback() : arm()), delay);
        timer.unref();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
