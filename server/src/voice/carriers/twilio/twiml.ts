import type { InboundAnswer } from "../inbound.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

/** Connects the call's audio both ways. When the stream ends, the call does: nothing follows. */
export function connectTwiml(streamUrl: string): string {
  return `${HEAD}<Response><Connect><Stream url="${escaped(streamUrl)}"/></Connect></Response>`;
}

/** Refuses a call that comes in: it is never answered, and costs nobody anything. */
export function rejectTwiml(answer: Exclude<InboundAnswer, "taken">): string {
  return `${HEAD}<Response><Reject reason="${answer === "busy" || answer === "full" ? "busy" : "rejected"}"/></Response>`;
}

/** Asks for nothing. */
export const EMPTY_TWIML = `${HEAD}<Response/>`;

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
