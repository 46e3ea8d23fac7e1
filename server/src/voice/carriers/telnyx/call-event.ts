import { member } from "../vendor-request.ts";
import type { Hangup } from "./hangup-causes.ts";

/** What Telnyx tells of a call, as far as it matters here. */
export interface TelnyxCallEvent {
  callControlId: string;
  /** Ours, where the call has one: of a call that comes in it is null until it is answered. */
  state: string | null;
  what:
    | { type: "initiated"; isIncoming: boolean; from: string; to: string }
    | { type: "answered" }
    | { type: "hangup"; hangup: Hangup }
    /** The audio couldn't be connected. */
    | { type: "streaming_failed"; reason: string }
    /** Known, and of no interest, or of a kind that is new. */
    | { type: "other"; name: string };
}

const MOST_ID = 1_000;

/** Reads the body of a webhook. @returns null for what isn't an event of a call */
export function readCallEvent(body: string): TelnyxCallEvent | null {
  const data = member(parse(body), "data");
  const payload = member(data, "payload");
  const name = text(member(data, "event_type"));
  const callControlId = text(member(payload, "call_control_id"));
  if (name === "" || callControlId === "" || callControlId.length > MOST_ID) return null;
  return { callControlId, state: stateOf(member(payload, "client_state")), what: whatOf(name, payload) };
}

function whatOf(name: string, payload: unknown): TelnyxCallEvent["what"] {
  const field = (key: string) => text(member(payload, key));
  switch (name) {
    case "call.initiated":
      return {
        type: "initiated",
        isIncoming: field("direction") === "incoming",
        from: field("from"),
        to: field("to"),
      };
    // A call that is connected to another one is answered, in whatever order we hear of it.
    case "call.answered":
    case "call.bridged":
      return { type: "answered" };
    case "call.hangup":
      return {
        type: "hangup",
        hangup: {
          cause: field("hangup_cause"),
          sipCause: field("sip_hangup_cause"),
          source: field("hangup_source"),
        },
      };
    case "streaming.failed":
      return { type: "streaming_failed", reason: field("failure_reason") };
    default:
      // Digits come beside the audio too, and are taken there; machines are told from people by our own ear.
      return { type: "other", name: name.slice(0, 80) };
  }
}

function stateOf(clientState: unknown): string | null {
  const state = text(clientState);
  return state === "" ? null : Buffer.from(state, "base64").toString("utf8");
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
