import { createHmac, hash, timingSafeEqual } from "node:crypto";

/**
 * The value of `X-Service-Signature-256`: `t=<unix seconds>,v1=<hex>`, where hex is the HMAC-SHA256 of
 * `<t>.<raw body>` keyed by the whole `whsec_…` string.
 *
 * @param secret the string, or what `signingKey` made of it for signing many times
 * @param timestampSeconds whole seconds since the Unix epoch, fresh for every attempt
 * @param rawBody the very bytes that are sent; a string is its UTF-8
 */
export function signDelivery(
  secret: string | SigningKey,
  timestampSeconds: number,
  rawBody: string | Buffer,
): string {
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new RangeError("a signature's timestamp is whole seconds since the Unix epoch");
  }
  const t = String(timestampSeconds);
  return `t=${t},v1=${typeof secret === "string" ? hmac(secret, t, rawBody) : secret.hmac(`${t}.`, rawBody)}`;
}

/** A subscription's secret, prepared for signing many times. */
export interface SigningKey {
  /** HMAC-SHA256 of both, as hex. `prefix` is ASCII. */
  hmac(prefix: string, body: string | Buffer): string;
}

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC (RFC 2104) of two one-shot hashes, with the key's blocks made beforehand. Node's own sets up a new object and its
 * keys for every signature: that was a tenth of what a delivery takes.
 */
export function signingKey(secret: string): SigningKey {
  const bytes = Buffer.from(secret);
  const key = Buffer.alloc(BLOCK);
  (bytes.length > BLOCK ? hash("sha256", bytes, "buffer") : bytes).copy(key);
  const inner = key.map((byte) => byte ^ 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  outer.set(key.map((byte) => byte ^ 0x5c));
  return {
    hmac(prefix, body) {
      const text = typeof body === "string" ? Buffer.from(body) : body;
      const message = Buffer.allocUnsafe(BLOCK + prefix.length + text.length);
      message.set(inner);
      message.write(prefix, BLOCK, "latin1");
      message.set(text, BLOCK + prefix.length);
      outer.write(hash("sha256", message, "hex"), BLOCK, "hex");
      return hash("sha256", outer, "hex");
    },
  };
}

export type SignatureVerdict =
  | { readonly ok: true; readonly timestampSeconds: number }
  | {
      readonly ok: false;
      readonly reason:
        | "missing_signature"
        | "malformed_signature"
        | "signature_mismatch"
        | "timestamp_outside_tolerance";
    };

/**
 * What a receiver does with the header: any of its secrets may have signed (rotation), any `v1` may match, parts
 * with other names are ignored. The comparison takes the same time whatever differs.
 *
 * @param header the header's value, undefined when there is none
 * @param rawBody the bytes as received, before any parsing
 */
export function verifySignature(
  secrets: readonly string[],
  header: string | undefined,
  rawBody: string | Buffer,
  nowSeconds: number,
  toleranceSeconds = 300,
): SignatureVerdict {
  if (header === undefined || header === "") return { ok: false, reason: "missing_signature" };
  const parts = header.split(",").map((part) => part.trim());
  const timestamps = parts.filter((part) => part.startsWith("t=")).map((part) => part.slice(2));
  const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => part.slice(3));
  const [timestamp] = timestamps;
  if (timestamps.length !== 1 || !/^\d{1,15}$/.test(timestamp!) || !signatures.some(isHexDigest)) {
    return { ok: false, reason: "malformed_signature" };
  }
  const candidates = signatures.filter(isHexDigest).map((hex) => Buffer.from(hex, "hex"));
  let matches = false;
  for (const secret of secrets) {
    const expected = Buffer.from(hmac(secret, timestamp!, rawBody), "hex");
    for (const candidate of candidates) if (timingSafeEqual(candidate, expected)) matches = true;
  }
  if (!matches) return { ok: false, reason: "signature_mismatch" };
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) {
    return { ok: false, reason: "timestamp_outside_tolerance" };
  }
  return { ok: true, timestampSeconds: Number(timestamp) };
}

function hmac(secret: string, timestamp: string, rawBody: string | Buffer): string {
  // Straight to hex: 3.1 µs, by way of a Buffer 5.6.
  return createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex");
}

function isHexDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
