export interface TwilioConfig {
  accountSid: string;
  authToken: string;
  /** Without a slash at its end. */
  apiUrl: string;
}

export interface TelnyxConfig {
  apiKey: string;
  /** Of the call control application that calls are placed with. */
  connectionId: string;
  /** Base64 of the 32 bytes that sign its callbacks. */
  publicKey: string;
  /** Without a slash at its end. */
  apiUrl: string;
}

/** Carriers that a call can be given to when its own doesn't take it. */
export type FallbackCarrier = (typeof FALLBACK_CARRIERS)[number];

/** What the environment decides about calls over vendors' APIs. */
export interface VendorConfig {
  /** Null: no calls are placed with it. */
  twilio: TwilioConfig | null;
  telnyx: TelnyxConfig | null;
  /** Where vendors reach this process. Without a slash at its end. */
  voiceUrl: string;
  /** In the order in which they are asked. */
  carrierFallbacks: readonly FallbackCarrier[];
}

const FALLBACK_CARRIERS = ["sip", "twilio", "telnyx"] as const;

interface Reader {
  text: (name: string) => string | null;
  address: (name: string, protocols: readonly string[]) => string | null;
  publicUrl: string;
  problems: string[];
}

/** Reads what vendors are reached with, and reach us by. Every mistake is added to `problems`; no value is repeated that may be secret. */
export function readVendors(reader: Reader): VendorConfig {
  const { problems } = reader;
  const voiceUrl = base(reader, "VOICE_URL", reader.publicUrl);
  const twilio = readTwilio(reader);
  const telnyx = readTelnyx(reader);
  // A stand-in on this machine may be spoken to in the clear; the vendor itself can't reach us so.
  const isInTheClear = !voiceUrl.startsWith("https:");
  for (const [name, vendor] of Object.entries({ Twilio: twilio, Telnyx: telnyx })) {
    if (vendor?.apiUrl.startsWith("https:") && isInTheClear)
      problems.push(
        `VOICE_URL (or PUBLIC_URL) must be the https address at which ${name} reaches this process: it brings the audio of calls there.`,
      );
  }
  return { twilio, telnyx, voiceUrl, carrierFallbacks: readFallbacks(reader, { twilio, telnyx }) };
}

function readTwilio(reader: Reader): TwilioConfig | null {
  const { text, problems } = reader;
  // The auth token alone takes texts.
  if (text("TWILIO_ACCOUNT_SID") === null && text("TWILIO_API_URL") === null) return null;
  const accountSid = needed(reader, "TWILIO_ACCOUNT_SID", "for calls over Twilio");
  const authToken = needed(reader, "TWILIO_AUTH_TOKEN", "for calls over Twilio");
  if (accountSid !== "" && !/^AC[0-9a-fA-F]{32}$/.test(accountSid))
    problems.push("TWILIO_ACCOUNT_SID must be AC and 32 hexadecimal digits.");
  return { accountSid, authToken, apiUrl: base(reader, "TWILIO_API_URL", "https://api.twilio.com") };
}

function readTelnyx(reader: Reader): TelnyxConfig | null {
  const { text, problems } = reader;
  // The public key alone takes texts.
  if (["TELNYX_API_KEY", "TELNYX_CONNECTION_ID", "TELNYX_API_URL"].every((name) => text(name) === null))
    return null;
  const apiKey = needed(reader, "TELNYX_API_KEY", "for calls over Telnyx");
  if (/\s/.test(apiKey)) problems.push("TELNYX_API_KEY must be the account's API key, without spaces.");
  return {
    apiKey,
    connectionId: needed(reader, "TELNYX_CONNECTION_ID", "for calls over Telnyx"),
    publicKey: needed(reader, "TELNYX_PUBLIC_KEY", "for calls over Telnyx"),
    apiUrl: base(reader, "TELNYX_API_URL", "https://api.telnyx.com"),
  };
}

function needed({ text, problems }: Reader, name: string, what: string): string {
  const value = text(name);
  if (value === null) problems.push(`${name} is needed ${what}.`);
  return value ?? "";
}

/** An address that paths are added to. */
function base({ address, problems }: Reader, name: string, fallback: string): string {
  const url = address(name, ["http:", "https:"]);
  if (url !== null && /[?#@]/.test(url))
    problems.push(`${name} must be an address that paths can be added to, without user, query or fragment.`);
  return (url ?? fallback).replace(/\/+$/, "");
}

function readFallbacks(
  { text, problems }: Reader,
  setUp: Pick<VendorConfig, "twilio" | "telnyx">,
): FallbackCarrier[] {
  const named = (text("CARRIER_FALLBACKS") ?? "").split(",").map((name) => name.trim());
  const carriers: FallbackCarrier[] = [];
  for (const name of named.filter((text) => text !== "")) {
    const carrier = FALLBACK_CARRIERS.find((known) => known === name);
    if (carrier === undefined)
      problems.push(
        `CARRIER_FALLBACKS has the unknown carrier "${name}"; known are ${FALLBACK_CARRIERS.join(", ")}.`,
      );
    else if (carrier !== "sip" && setUp[carrier] === null)
      problems.push(`CARRIER_FALLBACKS names ${carrier}, which isn't set up.`);
    else if (!carriers.includes(carrier)) carriers.push(carrier);
  }
  return carriers;
}
