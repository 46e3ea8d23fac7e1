import { FAILURES_THAT_DISABLE } from "../delivery-states.ts";
import type { ClaimedDelivery, Want } from "./claim-deliveries.ts";

/**
 * What this process knows of one subscription: how many deliveries it may have under way. It starts small, grows with
 * every success and is halved by every failure, so that a fast endpoint is kept busy and a slow or dead one holds little.
 */
export interface Lane {
  readonly organizationId: string;
  readonly subscriptionId: string;
  /** Claimed and not begun, oldest first. */
  queue: ClaimedDelivery[];
  inFlight: number;
  /** Ended, with a result that is not yet recorded. */
  unrecorded: number;
  /** There may be more due in the database than was claimed. */
  hasMore: boolean;
  /**
   * While a backlog is worked off: what came due before this (ISO 8601) is claimed already, as far as this process knows, and
   * isn't looked through again. Null: not known.
   */
  dueFrom: string | null;
  /** Attempts that may be under way at a time, as far as successes and failures say. */
  window: number;
  /** Failed attempts since the last success. */
  failures: number;
  /** Successes since the last failure. */
  successes: number;
  /** How long an attempt takes, as a moving average. */
  averageMs: number;
  /** When it last had something to do, milliseconds since the epoch. */
  usedAt: number;
}

const FIRST_WINDOW = 4;
const LARGEST_WINDOW = 64;
/** For an endpoint that answers within `FAST_BELOW_MS` even so: it is busy, not crowded, and is sent a tenth more. */
const LARGEST_FAST_WINDOW = 128;
const FAST_BELOW_MS = 50;
/** So many successes in a row and an average below this make an endpoint proven: it may take more than the others. */
const PROVEN_SUCCESSES = 8;
const PROVEN_BELOW_MS = 1_000;
/** So many successes in a row, and more may be under way than may fail. */
const TRUSTED_SUCCESSES = 64;
/** What is claimed ahead is begun within about this time. */
const AHEAD_MS = 100;
const LARGEST_AHEAD = 2_000;
/** Rows of one subscription claimed by one statement; a larger one would only keep the others waiting. */
const LARGEST_CLAIM = 500;
/** With so many results not yet recorded nothing more is claimed: the database is what can't keep up. */
const MOST_UNRECORDED = 1_000;
/** Of a new result in the moving average. */
const WEIGHT = 0.2;

export function openLane(organizationId: string, subscriptionId: string, now: number): Lane {
  return {
    organizationId,
    subscriptionId,
    queue: [],
    inFlight: 0,
    unrecorded: 0,
    hasMore: false,
    dueFrom: null,
    window: FIRST_WINDOW,
    failures: 0,
    successes: 0,
    averageMs: PROVEN_BELOW_MS,
    usedAt: now,
  };
}

export function isQuiet(lane: Lane): boolean {
  return lane.queue.length === 0 && lane.inFlight === 0 && lane.unrecorded === 0;
}

/** There is due work that may be older than what was claimed last. */
export function lookFromStart(lane: Lane): void {
  lane.hasMore = true;
  lane.dueFrom = null;
}

/** Takes in how many deliveries a claim got; the last of them tells how far it went. */
export function countClaimed(
  lane: Lane,
  want: Want,
  claimed: number,
  last: ClaimedDelivery | undefined,
): void {
  if (claimed < want.most) {
    // The end of the backlog. What came up behind while it was worked off is looked for once more.
    lane.hasMore = want.dueFrom !== null;
    lane.dueFrom = null;
    return;
  }
  // No delivery is due before its event: this is never too late, only too early where retries are waiting.
  lane.dueFrom = last?.content?.occurredAt ?? null;
}

/** Takes over what the database says of the subscription's health, unless results on their way there say more. */
export function adoptFailures(lane: Lane, consecutiveFailures: number): void {
  if (!isQuiet(lane) || consecutiveFailures === lane.failures) return;
  // One at least is tried: an enabled subscription never stands still.
  lane.failures = Math.min(consecutiveFailures, FAILURES_THAT_DISABLE - 1);
  if (consecutiveFailures > 0) {
    lane.window = 1;
    lane.successes = 0;
  }
}

export function countSuccess(lane: Lane, durationMs: number): void {
  lane.failures = 0;
  lane.successes += 1;
  lane.averageMs += (durationMs - lane.averageMs) * WEIGHT;
  const largest = lane.averageMs < FAST_BELOW_MS ? LARGEST_FAST_WINDOW : LARGEST_WINDOW;
  lane.window = Math.min(lane.window + 1, largest);
}

export function countFailure(lane: Lane, durationMs: number): void {
  lane.failures += 1;
  lane.successes = 0;
  lane.window = Math.max(1, Math.floor(lane.window / 2));
  lane.averageMs += (durationMs - lane.averageMs) * WEIGHT;
}

/** It answers, and fast: work for it doesn't hold what others need for long. */
export function isProven(lane: Lane): boolean {
  return lane.successes >= PROVEN_SUCCESSES && lane.averageMs < PROVEN_BELOW_MS;
}

/**
 * How many attempts may be under way at a time. Never so many that, were all of them to fail, more than the 25 attempts
 * were made that disable a subscription; save for an endpoint with a long run of successes.
 */
export function concurrency(lane: Lane): number {
  if (lane.successes >= TRUSTED_SUCCESSES) return lane.window;
  return Math.max(0, Math.min(lane.window, FAILURES_THAT_DISABLE - lane.failures));
}

/** How many deliveries are worth claiming beyond those that can be begun at once: what is done in a moment. */
function ahead(lane: Lane): number {
  if (!isProven(lane)) return 0;
  return Math.min(LARGEST_AHEAD, Math.floor((concurrency(lane) * AHEAD_MS) / Math.max(lane.averageMs, 0.1)));
}

/** How many deliveries to claim now, 0 while it isn't worth a statement. */
export function wanted(lane: Lane): number {
  if (!lane.hasMore || lane.unrecorded >= MOST_UNRECORDED) return 0;
  const target = concurrency(lane) + ahead(lane);
  const room = target - lane.inFlight - lane.queue.length;
  const enough = Math.min(LARGEST_CLAIM, Math.ceil(target / 2));
  // Nothing waits: whatever there is room for is begun at once.
  return room >= enough || lane.queue.length === 0 ? Math.max(0, Math.min(room, LARGEST_CLAIM)) : 0;
}
