import type { Weekday } from "./rule-book.ts";

/** Every reason there is to refuse a call. */
export const REASONS = [
  "dnc",
  "opted_out",
  "no_consent",
  "attempts_exhausted",
  "timezone_unknown",
  "voice_suspended",
  "no_caller_id",
  "insufficient_balance",
  "number_in_flight",
  "retry_not_due",
  "frequency_cap",
  "outside_window",
] as const;
export type Reason = (typeof REASONS)[number];

/** All that a verdict depends on. Instants are milliseconds since the epoch. */
export interface CallQuestion {
  at: number;
  /** E.164; anything else has no known time zone. */
  number: string;
  lead: {
    /** IANA name, where it is known better than by the number. */
    timezone: string | null;
    /** Two letters, beside those of the number. */
    state: string | null;
    consented: boolean;
  };
  campaign: {
    /** A machine speaks: stricter rules hold. */
    automated: boolean;
    /** `HH:MM`, null for the rules' own. */
    start: string | null;
    end: string | null;
    /** Null for all. */
    days: readonly Weekday[] | null;
    requireConsent: boolean;
    /** The lead's so far in this campaign. */
    attempts: number;
    maxAttempts: number;
  };
  state: {
    onDnc: boolean;
    optedOut: boolean;
    voiceSuspended: boolean;
    hasCallerId: boolean;
    canAfford: boolean;
    /** Somebody is calling the number. */
    inFlight: boolean;
    /** When that is believed to be over, if known. */
    inFlightUntil: number | null;
    retryAt: number | null;
    /** Attempts to the number by the organization: those of the last 24 hours at least, in any order. */
    recentAttempts: readonly number[];
    /** The organization's own cap of them, which counts when it is below the law's. */
    dailyCap: number | null;
  };
}

export interface Verdict {
  allowed: boolean;
  reason: Reason | null;
  /** What decided: a row of the rule table, or a ground of the product's own. */
  rule_id: string;
  rule_version: number;
  citation: string;
  /** Where the called party may be, and what clocks show there: `YYYY-MM-DDTHH:MM:SS`. */
  zones: readonly { timezone: string; local_time: string }[];
  /** Two letters each. */
  states: readonly string[];
  /** When a refused call will be allowed as far as is known; null when waiting doesn't help. */
  next_allowed_at: number | null;
}
