import type { Carrier } from "./carrier.ts";

/** Somebody calls a number of ours. */
export interface InboundCall {
  /** Whose trunk it came over; null: one that all organizations share. */
  organizationId: string | null;
  /** E.164 or whatever else it says, as digits; null when the caller keeps the number back. */
  from: string | null;
  /** As the trunk names it. */
  to: string;
  /** Gives this one call when it is dialed: it is answered once somebody listens to its events. */
  carrier: Carrier;
}

/** What becomes of it. Everything but `taken` refuses it; `full` says that another process may take it. */
export type InboundAnswer = "taken" | "no_agent" | "busy" | "full" | "unavailable";

/** Finds out who answers, and has it answered. */
export type AnswerInbound = (call: InboundCall) => Promise<InboundAnswer>;
