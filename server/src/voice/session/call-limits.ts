import type { Clock } from "../../clock.ts";

export type LimitReached = "max_duration" | "no_more_money";

export interface CallLimitsOptions {
  clock: Clock;
  answeredAt: number;
  maxDurationMs: number;
  /** Sets one more minute aside; false when the wallet has no more. */
  extendHold(): Promise<boolean>;
  /** The end is 6 s away: time for the last words. */
  onNear(limit: LimitReached): void;
  /** The end is now. `at`: up to when the call is paid and allowed. */
  onReached(limit: LimitReached, at: number): void;
  /** The hold couldn't be asked for. It counts as refused. */
  onError(error: unknown): void;
}

const MINUTE_MS = 60_000;
/**
 * A further minute is asked for so long before it begins: the answer may come 10 s late, when a database fails over. What was
 * refused is asked for once more: money may have come.
 */
const ASK_AHEAD_MS = 20_000;
const ASK_AGAIN_AHEAD_MS = 10_000;
const LAST_WORDS_MS = 6_000;

/**
 * Watches how long an answered call may last: its template's maximum, and minute by minute what is paid for.
 * @returns stops watching
 */
export function watchCallLimits(options: CallLimitsOptions): () => void {
  const { clock, answeredAt, extendHold, onNear, onReached, onError } = options;
  const maxEnd = answeredAt + options.maxDurationMs;
  let stopped = false;
  let cancels: (() => void)[] = [];

  const schedule = (at: number, callback: () => void) => {
    const cancel = clock.schedule(at, () => {
      if (!stopped) callback();
    });
    cancels.push(cancel);
    return cancel;
  };
  const stop = () => {
    stopped = true;
    for (const cancel of cancels) cancel();
    cancels = [];
  };
  const near = (limit: LimitReached, end: number) => schedule(end - LAST_WORDS_MS, () => onNear(limit));
  const reached = (limit: LimitReached, end: number) =>
    schedule(end, () => {
      stop();
      onReached(limit, end);
    });

  const payUntil = (paidEnd: number) => {
    if (paidEnd >= maxEnd) return;
    // Also when the answer to the question is still out: what isn't paid isn't talked.
    const cancelEnd = reached("no_more_money", paidEnd);
    const ask = (ahead: number) =>
      schedule(paidEnd - ahead, async () => {
        let extended = false;
        try {
          extended = await extendHold();
        } catch (error) {
          onError(error);
        }
        if (stopped) return;
        if (extended) {
          cancelEnd();
          payUntil(paidEnd + MINUTE_MS);
        } else if (ahead > ASK_AGAIN_AHEAD_MS) ask(ASK_AGAIN_AHEAD_MS);
        else near("no_more_money", paidEnd);
      });
    ask(ASK_AHEAD_MS);
  };

  near("max_duration", maxEnd);
  reached("max_duration", maxEnd);
  payUntil(answeredAt + MINUTE_MS);
  return stop;
}
