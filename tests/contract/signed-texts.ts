import { createHmac, generateKeyPairSync, sign } from "node:crypto";

/** Callbacks as the carriers sign them. */
const TWILIO_AUTH_TOKEN = "0123456789abcdef0123456789abcdef";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");

/** What makes a service believe them. */
export const carrierEnvironment = {
  TWILIO_AUTH_TOKEN,
  TELNYX_PUBLIC_KEY: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
};

/** @param url as Twilio has it */
export function twilioText(url: string): { body: string; headers: Record<string, string> } {
  const fields = { Body: "STOP", From: "+14155550100", To: "+14155550199" };
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
  const body = JSON.stringify({ data: { event_type: "message.received", payload } });
  return {
    body,
    headers: {
      "telnyx-timestamp": String(now),
      "telnyx-signature-ed25519": sign(null, Buffer.from(`${now}|${body}`), privateKey).toString("base64"),
    },
  };
}
