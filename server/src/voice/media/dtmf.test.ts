import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spoken } from "../../testing/spoken.ts";
import { createDigitDetector, dtmfTone } from "./dtmf.ts";
import { decodeG711, encodeG711, type G711Law } from "./g711.ts";

const DIGITS = "0123456789*#ABCD";

function detect(samples: Int16Array, law: G711Law = "pcmu"): string {
  const detector = createDigitDetector();
  const heard = decodeG711(law, encodeG711(law, samples));
  let digits = "";
  for (let at = 0; at + 160 <= heard.length; at += 160)
    digits += detector.push(heard.subarray(at, at + 160)) ?? "";
  return digits;
}

function join(parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

describe("digits in the audio", () => {
  it.each(["pcmu", "pcma"] as const)("hears all of them through %s, each once", (law) => {
    const keyed = join([...DIGITS].flatMap((digit) => [dtmfTone(digit, 100), new Int16Array(800)]));
    expect(detect(keyed, law)).toBe(DIGITS);
  });

  it("hears any series of presses, of any length, level and phase", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            digit: fc.constantFrom(...DIGITS),
            milliseconds: fc.integer({ min: 50, max: 500 }),
            gap: fc.integer({ min: 50, max: 200 }),
            amplitude: fc.integer({ min: 900, max: 14_000 }),
          }),
          { maxLength: 8 },
        ),
        fc.integer({ min: 0, max: 159 }),
        (presses, offset) => {
          const samples = join([
            new Int16Array(offset),
            ...presses.flatMap(({ digit, milliseconds, gap, amplitude }) => [
              dtmfTone(digit, milliseconds, amplitude),
              new Int16Array(gap * 8),
            ]),
            new Int16Array(320),
          ]);
          expect(detect(samples)).toBe(presses.map(({ digit }) => digit).join(""));
        },
      ),
    );
  });

  it("hears a key above noise and beside an unequal tone", () => {
    let state = 3;
    const noisy = dtmfTone("7", 200).map((sample) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return sample + (state / 0x3fffffff - 1) * 1_200;
    });
    expect(detect(join([noisy, new Int16Array(800)]))).toBe("7");
  });

  it("hears none in speech", () => {
    const text =
      "Yes, I have two or three questions about the roof, the windows and who pays for it all. " +
      "Could you call my husband at six, or send an email to our office in Ohio please? No, no, no. Ooh, eee, aah.";
    for (const voice of ["clara", "marcus", "angus", "otto"] as const)
      expect(detect(spoken(text, voice))).toBe("");
  });

  it.each([
    [
      "one tone",
      Int16Array.from({ length: 8_000 }, (_, at) => 9_000 * Math.sin((2 * Math.PI * 770 * at) / 8_000)),
    ],
    [
      "dial tone",
      Int16Array.from(
        { length: 8_000 },
        (_, at) =>
          5_000 * (Math.sin((2 * Math.PI * 350 * at) / 8_000) + Math.sin((2 * Math.PI * 440 * at) / 8_000)),
      ),
    ],
    ["a key of 20 ms", join([new Int16Array(800), dtmfTone("5", 20), new Int16Array(800)])],
    ["an echo of a key", dtmfTone("5", 200, 120)],
    ["silence", new Int16Array(8_000)],
  ])("hears none in %s", (_, samples) => {
    expect(detect(samples)).toBe("");
  });

  it("takes frames of the wrong size for silence", () => {
    const detector = createDigitDetector();
    for (const length of [0, 159, 161, 5_000])
      expect(detector.push(dtmfTone("1", 1_000).subarray(0, length))).toBeNull();
    expect(() => dtmfTone("x", 100)).toThrow(RangeError);
  });
});
