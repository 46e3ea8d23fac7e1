import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distance16, distance32, parseRtp, serializeRtp } from "./rtp-packet.ts";

const packets = fc.record({
  marker: fc.boolean(),
  payloadType: fc.integer({ min: 0, max: 127 }),
  sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
  timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
  ssrc: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 400 }),
});

describe("RTP packets", () => {
  it("reads what it wrote", () => {
    fc.assert(
      fc.property(packets, (packet) => {
        expect(parseRtp(serializeRtp(packet))).toEqual(packet);
      }),
    );
  });

  it("finds the payload behind contributors and extensions, and before padding", () => {
    fc.assert(
      fc.property(
        packets,
        fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 15 }),
        fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
        fc.integer({ min: 0, max: 255 }),
        (packet, contributors, extensionWords, padding) => {
          const plain = serializeRtp(packet);
          const bytes = Uint8Array.from([
            plain[0]! | contributors.length | (extensionWords === null ? 0 : 0x10) | (padding > 0 ? 0x20 : 0),
            ...plain.subarray(1, 12),
            ...contributors.flatMap((value) => [value, value, value, value]),
            ...(extensionWords === null ? [] : [0xbe, 0xde, 0, extensionWords]),
            ...new Uint8Array((extensionWords ?? 0) * 4).fill(7),
            ...packet.payload,
            ...(padding > 0 ? [...new Uint8Array(padding - 1), padding] : []),
          ]);
          expect(parseRtp(bytes)).toEqual(packet);
        },
      ),
    );
  });

  it("takes any bytes without throwing, and never a payload from outside of them", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.integer({ min: 0, max: 0x3f }),
        fc.boolean(),
        (bytes, flags, looksRight) => {
          if (looksRight && bytes.length > 0) bytes[0] = 0x80 | flags;
          const parsed = parseRtp(bytes);
          if (!parsed) return;
          expect(parsed.payload.length).toBeLessThanOrEqual(bytes.length - 12);
          expect(parsed.payload.byteOffset).toBeGreaterThanOrEqual(bytes.byteOffset + 12);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["nothing", []],
    ["eleven bytes", [0x80, ...new Uint8Array(10)]],
    ["version 1", [0x40, ...new Uint8Array(20)]],
    ["more contributors than bytes", [0x8f, ...new Uint8Array(20)]],
    ["an extension that doesn't fit", [0x90, ...new Uint8Array(13), 0xff, 0xff]],
    ["half an extension's header", [0x90, ...new Uint8Array(13)]],
    ["more padding than payload", [0xa0, ...new Uint8Array(12), 3]],
    ["padding of no length", [0xa0, ...new Uint8Array(20)]],
  ])("refuses %s", (_, bytes) => {
    expect(parseRtp(Uint8Array.from(bytes))).toBeNull();
  });

  it("measures distances across the wrap", () => {
    expect(distance16(2, 0xfffe)).toBe(4);
    expect(distance16(0xfffe, 2)).toBe(-4);
    expect(distance32(160, 0xffff_ff60)).toBe(320);
    expect(distance32(0xffff_ff60, 160)).toBe(-320);
  });
});
