import type { EndCause } from "../carrier.ts";
import { ANSWER_CODES } from "../sip/answer-codes.ts";

/** What `CallStatus` means for a call that wasn't answered, where nothing finer is told. */
const STATUSES: Readonly<Record<string, EndCause>> = {
  busy: "busy",
  "no-answer": "no_answer",
  canceled: "canceled",
  failed: "failed",
  // Somebody picked up and was gone before there was any audio.
  completed: "remote_hangup",
};

/** Twilio's own reasons. */
const ERROR_CODES: Readonly<Record<string, EndCause>> = {
  13223: "invalid_number",
  13224: "invalid_number",
  13225: "blocked",
  13227: "blocked",
  13248: "blocked",
};

export interface TwilioEnd {
  /** `completed`, `busy`, `no-answer`, `canceled`, `failed`. */
  status: string;
  /** Of the far network's last answer, where it is told. */
  sipCode: string | null;
  errorCode: string | null;
}

/** How a call ended. The network's own answer says more than Twilio's word for it. */
export function endCauseOf({ status, sipCode, errorCode }: TwilioEnd, wasAnswered: boolean): EndCause {
  if (wasAnswered) return status === "failed" ? "failed" : "remote_hangup";
  if (status === "failed" || status === "busy" || status === "no-answer") {
    const byNetwork = sipCode === null ? undefined : ANSWER_CODES[Number(sipCode)];
    if (byNetwork) return byNetwork;
    const byTwilio = errorCode === null ? undefined : ERROR_CODES[errorCode];
    if (byTwilio) return byTwilio;
  }
  return STATUSES[status] ?? "failed";
}
