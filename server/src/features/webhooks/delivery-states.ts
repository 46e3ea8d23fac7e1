/** The states of a delivery. The first two are queued: an attempt is due at `next_attempt_at`, or under way. */
export const deliveryStates = ["pending", "retrying", "delivered", "dead_letter", "discarded"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What happens to a delivery. */
export type DeliveryTrigger =
  /** An attempt was answered with a 2xx status. */
  | "succeeded"
  /** An attempt failed, and the schedule has another one. */
  | "failed"
  /** The schedule's last attempt failed. */
  | "exhausted"
  /** The target now resolves to an address that isn't public, or http is no longer allowed: no retry will help. */
  | "target_refused"
  /** Its subscription was disabled or deleted. */
  | "subscription_gone"
  /** An operator wants it sent again, as a new round of attempts. */
  | "replayed";

/** Every transition there is. What isn't here is refused. */
const deliveryTransitions: {
  readonly [State in DeliveryState]: { readonly [Trigger in DeliveryTrigger]?: DeliveryState };
} = {
  pending: {
    succeeded: "delivered",
    failed: "retrying",
    exhausted: "dead_letter",
    target_refused: "dead_letter",
    subscription_gone: "discarded",
  },
  retrying: {
    succeeded: "delivered",
    failed: "retrying",
    exhausted: "dead_letter",
    target_refused: "dead_letter",
    subscription_gone: "discarded",
  },
  delivered: { replayed: "pending" },
  dead_letter: { replayed: "pending" },
  discarded: { replayed: "pending" },
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds to wait before each attempt, counted from the end of the one before it: the contract's schedule. */
export const delayBeforeAttempt = [
  0,
  30 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
] as const;

/** So many failed attempts in a row, over all its deliveries, disable a subscription. */
export const FAILURES_THAT_DISABLE = 25;
export const AUTO_DISABLED = `auto_disabled_after_${FAILURES_THAT_DISABLE}_consecutive_failures`;

/** @throws Error for a transition that isn't in the table: a mistake of the caller, never an answer */
export function nextDeliveryState(from: DeliveryState, trigger: DeliveryTrigger): DeliveryState {
  const to = deliveryTransitions[from][trigger];
  if (!to) throw new Error(`a ${from} delivery can't be ${trigger}`);
  return to;
}

/** The states in which a trigger is allowed. All of them lead to the same state. */
export function statesBefore(trigger: DeliveryTrigger): DeliveryState[] {
  return deliveryStates.filter((state) => deliveryTransitions[state][trigger] !== undefined);
}

/**
 * When the attempt after the `made`-th is due (milliseconds since the epoch), or null when the schedule has no more.
 * @param made attempts made in this round, at least 1
 * @param endedAt when the last of them ended
 */
export function nextAttemptAt(made: number, endedAt: number): number | null {
  const delay = delayBeforeAttempt[made];
  return delay === undefined ? null : endedAt + delay;
}
