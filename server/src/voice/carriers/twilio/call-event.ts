import type { TwilioEnd } from "./end-causes.ts";

/** What a status callback tells of a call. */
export interface TwilioCallEvent extends TwilioEnd {
  callSid: string;
  /** As E.164 or whatever else Twilio says. */
  from: string;
  to: string;
}

/**
 * @returns null for what tells no status: the callbacks of recordings, of Twilio's own answering machine detection and of
 * streams have fields of their own instead
 */
export function readCallEvent(form: URLSearchParams): TwilioCallEvent | null {
  const field = (name: string) => form.get(name) ?? "";
  const callSid = field("CallSid");
  const status = field("CallStatus");
  if (!/^CA[0-9a-fA-F]{32}$/.test(callSid) || status === "") return null;
  return {
    callSid,
    status,
    sipCode: form.get("SipResponseCode"),
    errorCode: form.get("ErrorCode"),
    from: field("From"),
    to: field("To"),
  };
}
