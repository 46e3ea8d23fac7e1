import type { Queryable } from "../../database/database.ts";
import type { CallQuestion } from "../compliance/index.ts";
import * as sql from "./dial-facts.sql.ts";
import type { EntryState, RetryMinutes } from "./lead-states.ts";

/** What concerns all leads of a campaign. */
export interface DialTerms {
  status: string;
  dialer_mode: "ai" | "power" | "predictive" | null;
  concurrency: number | null;
  calls_per_second: number | null;
  lines_per_seat: number;
  max_attempts: number;
  window_start: string | null;
  window_end: string | null;
  days: CallQuestion["campaign"]["days"];
  retry_minutes: RetryMinutes;
  require_consent: boolean;
  halted_because: string | null;
  agent_id: string | null;
  has_template: boolean;
  organization_status: string;
  sandbox: boolean;
  voice_enabled: boolean;
  concurrency_limit: number;
  phone_rate_per_minute: number;
  daily_attempt_cap: number | null;
  balance: number;
  held: number;
  has_caller_id: boolean;
}

/** What a verdict on one lead depends on, beside the terms. */
export interface EntryFacts {
  lead_id: string;
  phone_number: string;
  state: EntryState;
  /** Milliseconds since the epoch. */
  next_at: number;
  attempts: number;
  network_failures: number;
  /** What the dialer last wrote into the lead's status. */
  written_status: string | null;
  due: "retry" | "callback" | null;
  verdict_reason: string | null;
  verdict_rule: string | null;
  lead_status: string;
  /** Whether the lead is in this campaign. */
  here: boolean;
  consented: boolean;
  on_dnc: boolean;
  in_flight: boolean;
  recent_attempts: number[];
}

/** @returns null when there is no such campaign */
export async function readTerms(
  on: Queryable,
  organizationId: string,
  campaignId: string,
): Promise<DialTerms | null> {
  const [terms] = await on.query<DialTerms>({ ...sql.readTerms, values: [organizationId, campaignId] });
  return terms ?? null;
}

/**
 * The wallet doesn't have the first minute of a call, and none will come back to it: what running calls hold is still there.
 */
export function isDry(terms: Pick<DialTerms, "balance" | "phone_rate_per_minute">): boolean {
  return terms.balance < terms.phone_rate_per_minute;
}

/** What to ask the compliance rules about a lead. @param at milliseconds since the epoch */
export function questionOf(terms: DialTerms, facts: EntryFacts, at: number): CallQuestion {
  return {
    at,
    number: facts.phone_number,
    // Leads have neither: the number decides.
    lead: { timezone: null, state: null, consented: facts.consented },
    campaign: {
      automated: true,
      start: terms.window_start,
      end: terms.window_end,
      days: terms.days,
      requireConsent: terms.require_consent,
      // What the person asked for isn't bound to the budget.
      attempts: facts.due === "callback" ? 0 : facts.attempts,
      maxAttempts: terms.max_attempts,
    },
    state: {
      onDnc: facts.on_dnc,
      optedOut: facts.lead_status === "do_not_call",
      voiceSuspended: terms.sandbox || !terms.voice_enabled || terms.organization_status !== "active",
      hasCallerId: terms.has_caller_id,
      canAfford: !isDry(terms),
      inFlight: facts.in_flight,
      inFlightUntil: null,
      retryAt: facts.due === null ? null : facts.next_at,
      recentAttempts: facts.recent_attempts,
      dailyCap: terms.daily_attempt_cap,
    },
  };
}
