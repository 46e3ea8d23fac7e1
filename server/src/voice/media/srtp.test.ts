import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { serializeRtp } from "./rtp-packet.ts";
import { createSrtp, SRTP_SECRET_BYTES } from "./srtp.ts";

const packet = (sequenceNumber: number) =>
  Buffer.from(
    serializeRtp({
      marker: false,
      payloadType: 0,
      sequenceNumber: sequenceNumber & 0xffff,
      timestamp: 160 * sequenceNumber,
      ssrc: 7,
      payload: Buffer.alloc(160, 0xd5),
    }),
  );

describe("protected packets", () => {
  const [one, other] = [randomBytes(SRTP_SECRET_BYTES), randomBytes(SRTP_SECRET_BYTES)];

  it("can be read by the far side, also past the wrap of their numbers, and show nothing of their audio", () => {
    const ours = createSrtp(one, other);
    const theirs = createSrtp(other, one);
    for (let number = 65_500; number < 65_600; number++) {
      const sent = ours.protect(packet(number));
      expect(sent.includes(Buffer.alloc(8, 0xd5))).toBe(false);
      expect(theirs.unprotect(sent)).toEqual(packet(number));
    }
    const report = Buffer.from("80c90001000000070000000000000000".slice(0, 16), "hex");
    expect(theirs.unprotectReport(ours.protectReport(report))).toEqual(report);
  });

  it("that were changed, have another key or none can't be read", () => {
    const theirs = createSrtp(other, one);
    const changed = createSrtp(one, other).protect(packet(1));
    changed[20]! ^= 1;
    expect(theirs.unprotect(changed)).toBeNull();
    expect(theirs.unprotect(createSrtp(randomBytes(SRTP_SECRET_BYTES), other).protect(packet(1)))).toBeNull();
    expect(theirs.unprotect(packet(1))).toBeNull();
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(5), randomBytes(40)]) {
      expect(theirs.unprotect(bytes)).toBeNull();
      expect(theirs.unprotectReport(bytes)).toBeNull();
    }
  });
});
