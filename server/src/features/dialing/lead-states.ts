/**
 * Where a lead stands in a campaign and what moves it, as data. Nothing else moves it, but the trigger `follow_lead` when the
 * lead itself is changed: attached, moved, or given a status by somebody else.
 *
 *   waiting ──claimed──▶ dialing ──dropped──▶ waiting          (never dialed: not an attempt)
 *   waiting | blocked ──refused──▶ waiting | blocked | done    (see afterRefusal)
 *   blocked ──claimed──▶ dialing                               (the reason is gone)
 *   dialing ──the attempt ended──▶ waiting | done | left       (see afterAttempt)
 *   any but dialing ──the lead is elsewhere──▶ left
 *   any but dialing ──the lead's status is `do_not_call`──▶ blocked   (and refused at the next look)
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

type RetryKey = "busy" | "no_answer" | "voicemail" | "network_failure";
/** Minutes from the end of an attempt to the next. */
export type RetryMinutes = Readonly<Partial<Record<RetryKey, number>>>;
/** Of a campaign that doesn't say. */
const USUAL_RETRY_MINUTES = 60;

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
    nextAt: call.at + (campaign.retryMinutes[rule.retry] ?? USUAL_RETRY_MINUTES) * 60_000,
    due: "retry",
  };
}

const HOUR_MS = 3_600_000;
/** No lead is looked at in a tight loop. */
const SOONEST_MS = 1_000;
/** How soon to look again where a whole campaign, or organization, can't call: that may be over at any moment. */
const WIDE_REASONS: Readonly<Record<string, number>> = {
  voice_suspended: 15_000,
  no_caller_id: 15_000,
  // The campaign is paused with the refusal; resumed, it begins at once.
  insufficient_balance: 0,
};

/** Where a refusal leaves a lead: waiting until then, blocked until something of its own changes, or done. */
export function afterRefusal(
  verdict: { reason: string | null; next_allowed_at: number | null },
  now: number,
): { state: EntryState; nextAt: number } {
  const { reason, next_allowed_at } = verdict;
  if (reason === "attempts_exhausted") return { state: "done", nextAt: now };
  if (next_allowed_at !== null)
    return { state: "waiting", nextAt: Math.max(next_allowed_at, now + SOONEST_MS) };
  const wide = WIDE_REASONS[reason ?? ""];
  return wide === undefined
    ? { state: "blocked", nextAt: now + HOUR_MS }
    : { state: "waiting", nextAt: now + wide };
}

/** Whether the dialer may call a lead of this status: nobody else has taken it over. */
export function isOurs(leadStatus: string, writtenStatus: string | null): boolean {
  return leadStatus === "new" || leadStatus === "pending" || leadStatus === writtenStatus;
}
