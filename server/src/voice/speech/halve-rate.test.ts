import { describe, expect, it } from "vitest";
import { halveRate } from "./halve-rate.ts";

function tone(hertz: number, rate: number, samples: number): Int16Array {
  return Int16Array.from(
    { length: samples },
    (_, at) => 10_000 * Math.sin((2 * Math.PI * hertz * at) / rate),
  );
}

/** Of the middle, where the filter is filled. */
function level(samples: Int16Array): number {
  const middle = samples.subarray(200, -200);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
}

describe("halving the rate", () => {
  it.each([200, 1_000, 2_500, 3_000])("keeps %i Hz as it is", (hertz) => {
    const halved = halveRate(tone(hertz, 16_000, 8_000));
    expect(halved).toHaveLength(4_000);
    const wanted = tone(hertz, 8_000, 4_000);
    const difference = halved.map((sample, at) => sample - wanted[at]!);
    expect(level(difference)).toBeLessThan(0.01 * level(wanted));
  });

  it.each([4_300, 5_000, 6_000, 7_900])("removes %i Hz, which would come back as another tone", (hertz) => {
    expect(level(halveRate(tone(hertz, 16_000, 8_000)))).toBeLessThan(
      0.003 * level(tone(1_000, 8_000, 4_000)),
    );
  });

  it("clips instead of wrapping around", () => {
    const square = Int16Array.from({ length: 4_000 }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768));
    const halved = halveRate(square);
    expect(Math.max(...halved)).toBe(32_767);
    expect(halved[105]! * halved[115]!).toBeLessThan(0);
  });

  it("takes any length", () => {
    for (const length of [0, 1, 2, 3, 61, 62, 63, 64])
      expect(halveRate(new Int16Array(length))).toHaveLength(Math.ceil(length / 2));
  });
});
