import type { TerminalStatus } from "../call-states.ts";
import type { EndCause } from "../carriers/carrier.ts";

/** How a call ends: what `CallEnd` says of it. */
export interface Ending {
  status: TerminalStatus;
  /** Null: what has been achieved in the call decides, see `completedOutcome`. */
  outcome: string | null;
  /** In words, for operators. */
  reason: string;
}

/** What a carrier's word means for a call that was never answered. */
export const unansweredEndings: Readonly<Record<EndCause, Ending>> = {
  busy: { status: "busy", outcome: "busy", reason: "The line was busy." },
  no_answer: { status: "no-answer", outcome: "no_answer", reason: "Nobody answered." },
  declined: { status: "no-answer", outcome: "declined", reason: "The call was declined." },
  blocked: { status: "failed", outcome: "blocked", reason: "The call was blocked." },
  invalid_number: { status: "failed", outcome: "invalid_number", reason: "There is no such number." },
  congestion: { status: "failed", outcome: "congestion", reason: "The network was full." },
  failed: { status: "failed", outcome: "failed", reason: "The network failed." },
  canceled: { status: "canceled", outcome: "canceled", reason: "The call was canceled." },
  local_hangup: { status: "canceled", outcome: "canceled", reason: "The call was canceled." },
  remote_hangup: { status: "failed", outcome: "failed", reason: "The call ended before it was answered." },
};

/** What has become of an answered call so far: decides the outcome of a normal end. */
export interface Achievements {
  optedOut: boolean;
  booked: boolean;
  transferred: boolean;
}

/** `call_outcome` of a call that was answered and ended normally. */
export function completedOutcome({ optedOut, booked, transferred }: Achievements): string {
  if (optedOut) return "do_not_call";
  if (booked) return "appointment_set";
  return transferred ? "transferred" : "completed";
}
