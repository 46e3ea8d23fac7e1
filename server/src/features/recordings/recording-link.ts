import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { RecordingName } from "./recording-key.ts";
import * as sql from "./recordings.sql.ts";

const LINK_SECONDS = 15 * 60;

/**
 * A link to a call's recording for whoever has no key: a player, a browser. Signed by the organization's own secret, good
 * for 15 minutes.
 * @returns an absolute URL
 * @throws DomainError not_found (no such call), recording_not_available (none, or not finished yet)
 */
export async function recordingLink(
  deps: { database: Database; clock: Clock; config: { public: Pick<Config["public"], "url"> } },
  { organizationId, callId }: RecordingName,
): Promise<string> {
  const [call] = await deps.database.query<{
    link_secret: Buffer;
    recording_key: string | null;
    recording_bytes: number | null;
  }>({ ...sql.readForLink, values: [organizationId, callId] });
  if (!call) throw new DomainError("not_found", "There is no such call.");
  if (call.recording_key === null || call.recording_bytes === null)
    throw new DomainError("recording_not_available", "The call has no recording.");
  // In the ids' usual spelling, which is what is signed.
  const name = { organizationId: organizationId.toLowerCase(), callId: callId.toLowerCase() };
  const expires = String(Math.floor(deps.clock.now() / 1000) + LINK_SECONDS);
  const query = new URLSearchParams({ expires, signature: signatureOf(call.link_secret, name, expires) });
  return `${deps.config.public.url}/v1/recordings/${name.organizationId}/${name.callId}.wav?${query}`;
}

/** True for what `recordingLink` signed with this secret, whole and as it was. */
export function isSignature(
  secret: Buffer,
  name: RecordingName,
  expires: string,
  signature: string,
): boolean {
  const expected = Buffer.from(signatureOf(secret, name, expires));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function signatureOf(secret: Buffer, { organizationId, callId }: RecordingName, expires: string): string {
  return createHmac("sha256", secret)
    .update(`recording/${organizationId}/${callId}/${expires}`)
    .digest("base64url");
}
