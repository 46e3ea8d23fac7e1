import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDigitReceiver, digitPackets } from "./rfc4733.ts";

describe("telephone events", () => {
  it("tells each press once, however its packets are lost, repeated or swapped", () => {
    const presses = fc.array(
      fc.record({
        digit: fc.constantFrom(..."0123456789*#ABCD"),
        durationMs: fc.integer({ min: 20, max: 400 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(presses, fc.array(fc.nat(5), { minLength: 200, maxLength: 200 }), (keyed, fates) => {
        const receiver = createDigitReceiver();
        let turn = 0;
        const heard = keyed.flatMap(({ digit, durationMs }, press) => {
          const packets = digitPackets(digit, durationMs).flat();
          // Of each press at least one comes through.
          const arrived = packets.flatMap((packet, at) => {
            const fate = fates[turn++ % fates.length]!;
            return at > 0 && fate === 0 ? [] : fate === 1 ? [packet, packet] : [packet];
          });
          if (fates[turn % fates.length]! > 3) arrived.reverse();
          return arrived.flatMap(
            ({ payload }) =>
              receiver.received({ ssrc: 1, timestamp: (0xffff_ff00 + press * 8_000) >>> 0, payload }) ?? [],
          );
        });
        expect(heard).toEqual(keyed.map(({ digit }) => digit));
      }),
    );
  });

  it("ignores a packet of an older press that comes late", () => {
    const receiver = createDigitReceiver();
    const payload = digitPackets("5", 100)[0]![0]!.payload;
    expect(receiver.received({ ssrc: 1, timestamp: 8_000, payload })).toBe("5");
    expect(receiver.received({ ssrc: 1, timestamp: 16_000, payload })).toBe("5");
    expect(receiver.received({ ssrc: 1, timestamp: 8_000, payload })).toBeNull();
    expect(receiver.received({ ssrc: 2, timestamp: 8_000, payload })).toBe("5");
  });

  it("takes any payload", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (payload) => {
        const digit = createDigitReceiver().received({ ssrc: 1, timestamp: 1, payload });
        if (payload.length < 4 || payload[0]! > 15) expect(digit).toBeNull();
        else expect("0123456789*#ABCD").toContain(digit);
      }),
    );
  });

  it("marks the first packet, grows, and says three times that the key was released", () => {
    const frames = digitPackets("#", 60);
    expect(frames.map((packets) => packets.map(({ marker, payload }) => [marker, ...payload]))).toEqual([
      [[true, 11, 10, 0, 160]],
      [[false, 11, 10, 1, 64]],
      Array.from({ length: 3 }, () => [false, 11, 0x8a, 1, 224]),
    ]);
    expect(() => digitPackets("x", 60)).toThrow(RangeError);
    expect(() => digitPackets("", 60)).toThrow(RangeError);
  });
});
