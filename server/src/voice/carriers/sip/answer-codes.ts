import type { EndCause } from "../carrier.ts";

/** What a trunk's last answer means: one table, also in docs/voice.md. What isn't in it is `failed`. */
export const ANSWER_CODES: Readonly<Record<number, EndCause>> = {
  403: "blocked",
  404: "invalid_number",
  408: "no_answer",
  410: "invalid_number",
  480: "no_answer",
  484: "invalid_number",
  486: "busy",
  503: "congestion",
  600: "busy",
  603: "declined",
  604: "invalid_number",
  607: "blocked",
  608: "blocked",
};

/** @param status null: nothing came at all */
export function causeOf(status: number | null): EndCause {
  return (status === null ? undefined : ANSWER_CODES[status]) ?? "failed";
}

/** Whether the next trunk is asked: this one couldn't, which says nothing of the number. */
export function isTrunksFault(status: number | null): boolean {
  return status === null || status === 408 || (status >= 500 && status < 600);
}
