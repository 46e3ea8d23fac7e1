import { describe, expect, it } from "vitest";
import { createConcealer } from "./concealment.ts";

function sine(frequency: number, frame: number): Int16Array {
  return Int16Array.from(
    { length: 160 },
    (_, at) => 8_000 * Math.sin((2 * Math.PI * frequency * (frame * 160 + at)) / 8_000),
  );
}

function steepest(samples: readonly number[]): number {
  return Math.max(...samples.slice(1).map((sample, at) => Math.abs(sample - samples[at]!)));
}

describe("concealment", () => {
  it.each([110, 173, 230, 317])(
    "goes on with a voice of %i Hz and comes back to it without a click",
    (frequency) => {
      for (const lost of [1, 2, 3, 5]) {
        const concealer = createConcealer();
        const played: number[] = [];
        for (let frame = 0; frame < 12 + lost; frame++) {
          const samples = sine(frequency, frame);
          if (frame >= 6 && frame < 6 + lost) concealer.conceal(samples);
          else concealer.heard(samples);
          played.push(...samples);
        }
        // Natural steps are as steep as the sine; blending 4 ms of it with another phase adds at most as much again.
        expect(steepest(played)).toBeLessThan(2.5 * steepest([...sine(frequency, 0)]));
      }
    },
  );

  it("is as loud as what was heard for 10 ms, and silent after 60", () => {
    const concealer = createConcealer();
    for (let frame = 0; frame < 5; frame++) concealer.heard(sine(200, frame));
    const made = [0, 1, 2, 3].flatMap(() => {
      const samples = new Int16Array(160);
      concealer.conceal(samples);
      return [...samples];
    });
    expect(Math.max(...made.slice(0, 80))).toBeGreaterThan(7_800);
    expect(Math.max(...made.slice(240, 320))).toBeLessThan(6_000);
    expect(made.slice(480).every((sample) => sample === 0)).toBe(true);
  });

  it("is silent where nothing was heard before", () => {
    const samples = new Int16Array(160).fill(7);
    createConcealer().conceal(samples);
    expect(samples).toEqual(new Int16Array(160));
  });
});
