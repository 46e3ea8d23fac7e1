import { createPublicKey, verify } from "node:crypto";

/** What stands before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo. RFC 8410 */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const TOLERANCE_MS = 300_000;

/**
 * Whether a body was sent by Telnyx within the last five minutes: `telnyx-signature-ed25519` is the signature, by the key whose
 * public half the portal shows, of `<telnyx-timestamp>|<body>`.
 * @param publicKey base64 of 32 bytes
 * @param timestamp seconds since the epoch, as it was sent
 */
export function isSignedByTelnyx(request: {
  publicKey: string;
  timestamp: string;
  body: Buffer;
  signature: string;
  now: number;
}): boolean {
  const { publicKey, timestamp, body, signature, now } = request;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, "base64")]),
    format: "der",
    type: "spki",
  });
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
  return verify(null, signed, key, Buffer.from(signature, "base64"));
}
