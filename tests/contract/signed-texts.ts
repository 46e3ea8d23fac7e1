import { createHmac, generateKeyPairSync, sign } from "node:crypto";

/** Callbacks as the carriers sign them. */
const TWILIO_AUTH_TOKEN = "0123456789abcdef0123456789abcdef";
const TWILIO_ACCOUNT_SID = `AC${TWILIO_AUTH_TOKEN}`;
const { publicKey, privateKey } = generateKeyPairSync("ed25519");

/** What makes a service believe them. */
export const carrierEnvironment = {
  TWILIO_AUTH_TOKEN,
  TWILIO_ACCOUNT_SID,
  // Nobody listens there.
  TWILIO_API_URL: "http://127.0.0.1:9",
  TELNYX_API_KEY: "KEY0123456789ABCDEF",
  TELNYX_CONNECTION_ID: "1494404757140276705",
  TELNYX_API_URL: "http://127.0.0.1:9",
  TELNYX_PUBLIC_KEY: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
};

/** @param url as Twilio has it */
export function twilioText(url: string): { body: string; headers: Record<string, string> } {
  return twilioForm(url, { Body: "STOP", From: "+14155550100", To: "+14155550199" });
}

/** @param url as Twilio has it */
export function twilioCall(url: string, status: string): { body: string; headers: Record<string, string> } {
  return twilioForm(url, {
    AccountSid: TWILIO_ACCOUNT_SID,
    CallSid: `CA${TWILIO_AUTH_TOKEN}`,
    CallStatus: status,
    From: "+14155550100",
    To: "+14155550199",
  });
}

/** @param fields in the order of their names */
function twilioForm(url: string, fields: Record<string, string>) {
  const signed = url + Object.entries(fields).flat().join("");
  return {
    body: String(new URLSearchParams(fields)),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", TWILIO_AUTH_TOKEN).update(signed).digest("base64"),
    },
  };
}

/** @param now seconds since the epoch */
export function telnyxText(now: number): { body: string; headers: Record<string, string> } {
  const payload = {
    from: { phone_number: "+14155550100" },
    to: [{ phone_number: "+14155550199" }],
    text: "STOP",
  };
  return telnyxEvent(now, "message.received", payload);
}

/** @param now seconds since the epoch */
export function telnyxCall(now: number): { body: string; headers: Record<string, string> } {
  const payload = { call_control_id: "v3:nobody", from: "+14155550100", to: "+14155550199" };
  return telnyxEvent(now, "call.hangup", payload);
}

function telnyxEvent(now: number, type: string, payload: object) {
  const body = JSON.stringify({ data: { event_type: type, payload } });
  return {
    body,
    headers: {
      "telnyx-timestamp": String(now),
      "telnyx-signature-ed25519": sign(null, Buffer.from(`${now}|${body}`), privateKey).toString("base64"),
    },
  };
}
