import type { EndCause } from "../carrier.ts";
import { causeOf } from "../sip/answer-codes.ts";

/**
 * What Telnyx's `hangup_cause` means for a call that wasn't answered, where its `sip_hangup_cause` says nothing more: one table,
 * also in docs/voice.md. What isn't in it is `failed`.
 */
export const HANGUP_CAUSES: Readonly<Record<string, EndCause>> = {
  call_rejected: "declined",
  no_answer: "no_answer",
  normal_clearing: "remote_hangup",
  not_found: "invalid_number",
  originator_cancel: "canceled",
  timeout: "no_answer",
  user_busy: "busy",
};

/** What a `call.hangup` says. */
export interface Hangup {
  cause: string;
  /** A SIP code, or `unspecified`. */
  sipCause: string;
  /** `caller`, `callee`, `unknown` */
  source: string;
}

/** @param wasAnswered the person has been told of as having answered */
export function endCauseOf({ cause, sipCause, source }: Hangup, wasAnswered: boolean): EndCause {
  if (wasAnswered) {
    const bySomebody = cause === "normal_clearing" || source === "caller" || source === "callee";
    // Otherwise the network lost it, or Telnyx's own limit ended it.
    return bySomebody && cause !== "time_limit" ? "remote_hangup" : "failed";
  }
  const bySip = /^[3-6]\d\d$/.test(sipCause) ? causeOf(Number(sipCause)) : "failed";
  if (bySip !== "failed") return bySip;
  return (Object.hasOwn(HANGUP_CAUSES, cause) ? HANGUP_CAUSES[cause] : undefined) ?? "failed";
}
