/**
 * Where a lead stands in a campaign and what moves it, as data. Nothing else moves it, but the trigger `follow_lead` when the
 * lead itself is changed: attached, moved, or given a status by somebody else.
 *
 *   waiting ──claimed──▶ dialing ──dropped──▶ waiting          (never dialed: not an attempt)
 *   waiting | blocked ──refused──▶ waiting | blocked | done    (see afterRefusal)
 *   blocked ──claimed──▶ dialing                               (the reason is gone)
 *   dialing ──the attempt ended──▶ waiting | done | left       (see afterAttempt)
 *   any but dialing ──the lead is elsewhere──▶ left
 */
export const ENTRY_STATES = ["waiting", "dialing", "blocked", "done", "left"] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** What the dialer makes of an attempt that was dialed. */
export type AttemptResult =
  | "person"
  | "callback"
  | "opted_out"
  | "voicemail"
  | "no_answer"
  | "busy"
  | "network_failure"
  | "number_refused"
  | "canceled";

export type RetryKey = "busy" | "no_answer" | "voicemail" | "network_failure";
/** Minutes from the end of an attempt to the next. */
export type RetryMinutes = Readonly<Record<RetryKey, number>>;

export const DEFAULT_RETRY_MINUTES: RetryMinutes = {
  busy: 30,
  no_answer: 120,
  voicemail: 1_440,
  network_failure: 5,
};

interface Rule {
  /** What the lead's status becomes. */
  leadStatus: string;
  /** How long until the next attempt; null: there is none. */
  retry: RetryKey | null;
  /** Retries of this kind in a campaign, where they are fewer than its budget of attempts. */
  mostRetries?: number;
}

export const attemptRules: Readonly<Record<AttemptResult, Rule>> = {
  person: { leadStatus: "completed", retry: null },
  callback: { leadStatus: "contacted", retry: null },
  opted_out: { leadStatus: "do_not_call", retry: null },
  voicemail: { leadStatus: "voicemail", retry: "voicemail" },
  no_answer: { leadStatus: "no_answer", retry: "no_answer" },
  busy: { leadStatus: "busy", retry: "busy" },
  network_failure: { leadStatus: "failed", retry: "network_failure", mostRetries: 1 },
  number_refused: { leadStatus: "failed", retry: null },
  canceled: { leadStatus: "canceled", retry: null },
};

/** How a call ended, as far as it matters here. Instants are milliseconds since the epoch. */
export interface EndedCall {
  /** Of the call's record. */
  status: string;
  outcome: string;
  answered: boolean;
  answeredBy: string | null;
  optedOut: boolean;
  /** When the person asked to be called. */
  callbackAt: number | null;
}

/** Outcomes of calls that nobody answered. Any other one that isn't known is the network's. */
const UNANSWERED: Readonly<Record<string, AttemptResult>> = {
  busy: "busy",
  no_answer: "no_answer",
  declined: "no_answer",
  blocked: "number_refused",
  invalid_number: "number_refused",
  canceled: "canceled",
};

/** Whoever answered counts as a person unless known to be a machine: they aren't called twice for our doubt. */
export function resultOf(call: EndedCall): AttemptResult {
  if (call.optedOut) return "opted_out";
  if (!call.answered) return UNANSWERED[call.outcome] ?? "network_failure";
  if (call.answeredBy === "machine" || call.status === "voicemail") return "voicemail";
  return call.callbackAt === null ? "person" : "callback";
}

export interface EntryMove {
  state: EntryState;
  /** Null: as it is. */
  nextAt: number | null;
  due: "retry" | "callback" | null;
  attempts: number;
  networkFailures: number;
  leadStatus: string;
}

/**
 * Where an attempt that was dialed leaves its lead.
 * @param entry `attempts` and `networkFailures` before this one
 * @param at when it ended; retries count from then
 */
export function afterAttempt(
  result: AttemptResult,
  entry: { attempts: number; networkFailures: number },
  campaign: { maxAttempts: number; retryMinutes: RetryMinutes },
  call: { at: number; callbackAt: number | null },
): EntryMove {
  const rule = attemptRules[result];
  const attempts = entry.attempts + 1;
  const networkFailures = entry.networkFailures + (result === "network_failure" ? 1 : 0);
  const move = { attempts, networkFailures, leadStatus: rule.leadStatus };
  // They asked for it: that isn't bound to the budget.
  if (result === "callback" && call.callbackAt !== null)
    return { ...move, state: "waiting", nextAt: Math.max(call.callbackAt, call.at), due: "callback" };
  const retriesLeft =
    attempts < campaign.maxAttempts && networkFailures <= (rule.mostRetries ?? Number.POSITIVE_INFINITY);
  if (rule.retry === null || !retriesLeft) return { ...move, state: "done", nextAt: null, due: null };
  return {
    ...move,
    state: "waiting",
    nextAt: call.at + campaign.retryMinutes[rule.retry] * 60_000,
    due: "retry",
  };
}

const HOUR_MS = 3_600_000;
/** What is in the way of a whole campaign, or organization, may be over at any moment. */
const WIDE_REASONS: readonly (string | null)[] = ["voice_suspended", "no_caller_id", "insufficient_balance"];
const WIDE_AGAIN_MS = 15_000;
/** No lead is looked at in a tight loop. */
const SOONEST_MS = 1_000;

/** Whether a refusal concerns every lead alike. */
export function isWide(reason: string | null): boolean {
  return WIDE_REASONS.includes(reason);
}

/** Where a refusal leaves a lead: waiting until then, blocked until something changes, or done. */
export function afterRefusal(
  verdict: { reason: string | null; next_allowed_at: number | null },
  now: number,
): { state: EntryState; nextAt: number } {
  if (verdict.reason === "attempts_exhausted") return { state: "done", nextAt: now };
  if (verdict.next_allowed_at !== null)
    return { state: "waiting", nextAt: Math.max(verdict.next_allowed_at, now + SOONEST_MS) };
  return { state: "blocked", nextAt: now + (isWide(verdict.reason) ? WIDE_AGAIN_MS : HOUR_MS) };
}

/** Whether the dialer may call a lead of this status: nobody else has taken it over. */
export function isOurs(leadStatus: string, writtenStatus: string | null): boolean {
  return leadStatus === "new" || leadStatus === "pending" || leadStatus === writtenStatus;
}
