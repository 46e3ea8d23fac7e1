import fc from "fast-check";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { signDelivery, signingKey, verifySignature } from "./signature.ts";

const secret = `whsec_${"0123456789abcdef".repeat(4)}`;
const body = '{"id":"019b8f5e-0000-7000-8000-000000000000","data":{"name":"Zoë 😀"}}';
const now = 1_767_614_400;

describe("signDelivery", () => {
  it("makes the documented value, here from another implementation", () => {
    // printf '1767614400.{}' | openssl dgst -sha256 -hmac "$secret"
    expect(signDelivery(secret, now, "{}")).toBe(
      "t=1767614400,v1=b970fd96d2623898e1f6fb04433c8d58a1c6c92e18b816fcf8a5f0a8c027b873",
    );
  });

  it("is verified by the official stripe package, whatever the body and the secret", () => {
    const stripe = new Stripe("sk_test_unused");
    const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(fc.json(), hex, (payload, key) => {
        // Stripe's tolerance is measured against the system's time.
        const t = Math.floor(Date.now() / 1_000);
        const header = signDelivery(`whsec_${key}`, t, payload);
        expect(stripe.webhooks.constructEvent(payload, header, `whsec_${key}`)).toEqual(JSON.parse(payload));
        expect(() => stripe.webhooks.constructEvent(`${payload} `, header, `whsec_${key}`)).toThrow(
          "signature",
        );
      }),
      { numRuns: 50 },
    );
  });

  it("signs a string and its UTF-8 bytes alike", () => {
    expect(signDelivery(secret, now, Buffer.from(body))).toBe(signDelivery(secret, now, body));
  });

  it("signs alike with a secret and with the key made of it, whatever their lengths, time after time", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: "binary" }),
        fc.array(fc.string({ maxLength: 300, unit: "binary" }), { minLength: 1, maxLength: 4 }),
        (text, bodies) => {
          const key = signingKey(text);
          for (const each of bodies) {
            expect(signDelivery(key, now, each)).toBe(signDelivery(text, now, each));
            expect(signDelivery(key, now, Buffer.from(each))).toBe(signDelivery(text, now, each));
          }
        },
      ),
    );
  });

  it.each([1.5, -1, Number.NaN, 2 ** 53])("does not sign at %s", (t) => {
    expect(() => signDelivery(secret, t, body)).toThrow(RangeError);
  });
});

describe("verifySignature", () => {
  const header = signDelivery(secret, now, body);
  const other = `whsec_${"f".repeat(64)}`;

  it("accepts its own, up to 300 seconds away on both sides", () => {
    for (const seconds of [-300, 0, 300]) {
      expect(verifySignature([secret], header, body, now + seconds)).toEqual({
        ok: true,
        timestampSeconds: now,
      });
    }
    for (const seconds of [-301, 301]) {
      expect(verifySignature([secret], header, body, now + seconds)).toEqual({
        ok: false,
        reason: "timestamp_outside_tolerance",
      });
    }
  });

  it("accepts any of several secrets and any of several signatures, and ignores other parts", () => {
    expect(verifySignature([other, secret], header, Buffer.from(body), now).ok).toBe(true);
    expect(verifySignature([secret], `${header},v1=${"0".repeat(64)}`, body, now).ok).toBe(true);
    expect(verifySignature([secret], `${header},v0=abc, v2=x`, body, now).ok).toBe(true);
  });

  it.each([
    [undefined, "missing_signature"],
    ["", "missing_signature"],
    ["nonsense", "malformed_signature"],
    [`t=${now}`, "malformed_signature"],
    [`v1=${"0".repeat(64)}`, "malformed_signature"],
    [`t=soon,v1=${"0".repeat(64)}`, "malformed_signature"],
    [`t=${now},v1=0123`, "malformed_signature"],
    [`t=${now},t=${now},v1=${"0".repeat(64)}`, "malformed_signature"],
    [`t=${now},v1=${"0".repeat(64)}`, "signature_mismatch"],
    [header.replace(`t=${now}`, `t=${now + 1}`), "signature_mismatch"],
  ])("refuses %s: %s", (value, reason) => {
    expect(verifySignature([secret], value, body, now)).toEqual({ ok: false, reason });
  });

  it("refuses another body, another secret, no secret", () => {
    const mismatch = { ok: false, reason: "signature_mismatch" };
    expect(verifySignature([secret], header, `${body} `, now)).toEqual(mismatch);
    expect(verifySignature([other], header, body, now)).toEqual(mismatch);
    expect(verifySignature([], header, body, now)).toEqual(mismatch);
  });
});
