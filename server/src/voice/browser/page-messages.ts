import type { BrowserMessage } from "./browser-leg.ts";

/** A page has little to say; longer ones aren't looked at. */
const MAX_MESSAGE_CHARACTERS = 1_000;

/** What a page sent over the data channel, or null when it isn't one of the messages that there are. */
export function readPageMessage(data: unknown): BrowserMessage | null {
  if (typeof data !== "string" || data.length > MAX_MESSAGE_CHARACTERS) return null;
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof message !== "object" || message === null || !("type" in message)) return null;
  if (message.type === "hangup") return { type: "hangup" };
  if (message.type !== "digit" || !("digit" in message) || typeof message.digit !== "string") return null;
  return /^[0-9*#A-D]$/.test(message.digit) ? { type: "digit", digit: message.digit } : null;
}
