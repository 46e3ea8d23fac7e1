import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSpeech, type Speech } from "../speech/index.ts";
import { createMachineDetector } from "./machine-detector.ts";
import { type Greeting, generateGreetings } from "./testing/greeting-set.ts";
import { createMuLawChannel, createNoise, mulberry32 } from "./testing/phone-line.ts";
import { beepsIn, framesOf, isRight, verdictOn } from "./testing/score.ts";

const RATE = 8_000;
let speech: Speech;
beforeAll(() => {
  speech = createSpeech();
});
afterAll(() => speech.close());

const quiet = (seconds: number) => new Int16Array(seconds * RATE);
const tones = (seconds: number, ...hertz: number[]) =>
  Int16Array.from({ length: seconds * RATE }, (_, at) =>
    hertz.reduce((sum, one) => sum + 4_000 * Math.sin((2 * Math.PI * one * at) / RATE), 0),
  );
const joined = (...parts: Int16Array[]) => Int16Array.from(parts.flatMap((part) => [...part]));
const noise = (seconds: number, level: number) => {
  const next = createNoise("white", mulberry32(7));
  return quiet(seconds).map(() => level * next());
};

describe("who answered, on greetings that the figures weren't chosen by", () => {
  let greetings: Greeting[];
  beforeAll(async () => {
    greetings = await generateGreetings(speech, "measuring", { variantsPerText: 2 });
  });

  it("is right for 85 % of them, and within 5 s", () => {
    const wrong = greetings.filter((greeting) => {
      const verdict = verdictOn(greeting.samples);
      expect(verdict.afterMs).toBeLessThanOrEqual(5_000);
      return !isRight(verdict, greeting);
    });
    expect(greetings.length).toBe(46);
    expect(wrong.length / greetings.length, wrong.map(({ name }) => name).join("\n")).toBeLessThanOrEqual(
      0.15,
    );
  });

  it("never takes a short answer for a machine, and knows it a second after it", () => {
    const answers = greetings.filter(({ kind, firstMs }) => kind === "short answer" && firstMs < 1_000);
    expect(answers.length).toBeGreaterThan(5);
    for (const { name, samples, firstMs } of answers) {
      const { by, afterMs } = verdictOn(samples);
      expect(by, name).toBe("human");
      expect(afterMs - firstMs - Number(/lead (\d+)/.exec(name)![1]), name).toBeLessThanOrEqual(1_000);
    }
  });

  it("finds their beeps when they are over, and no other", () => {
    expect(greetings.filter(({ beep }) => beep).length).toBeGreaterThan(8);
    for (const { name, samples, beep } of greetings) {
      const found = beepsIn(samples);
      expect(found, name).toHaveLength(beep ? 1 : 0);
      if (!beep) continue;
      expect(found[0]! - beep.toMs, name).toBeGreaterThan(-20);
      expect(found[0]! - beep.toMs, name).toBeLessThanOrEqual(100);
    }
  });
});

describe("the machine detector", () => {
  it("knows nothing of who says nothing, in silence and in noise", () => {
    for (const samples of [quiet(6), noise(6, 60), noise(6, 1_500)])
      expect(verdictOn(samples)).toEqual({ by: "unknown", reason: "silence", afterMs: 2_500 });
  });

  it("hears through ringing and keyed digits", async () => {
    const hello = await speech.synthesize("Hello?", "clara");
    for (const before of [tones(1, 440, 480), tones(1, 770, 1_336)]) {
      const { by, afterMs } = verdictOn(joined(before, quiet(0.3), hello, quiet(5)));
      expect(by).toBe("human");
      expect(afterMs).toBeGreaterThan(1_300 + hello.length / 8 + 500);
    }
  });

  it("takes a beep for a machine's at once", async () => {
    const samples = joined(
      await speech.synthesize("At the tone.", "otto"),
      quiet(0.3),
      tones(0.3, 1_000),
      quiet(5),
    );
    expect(verdictOn(samples)).toMatchObject({ by: "machine", reason: "beep" });
  });

  it("takes who never stops for a machine", async () => {
    const words =
      "We are sorry that we can't take your call now, but if you leave us your name and your number";
    const samples = joined(await speech.synthesize(words, "marcus"), quiet(5));
    const line = createMuLawChannel({ gainDb: -6, noise: createNoise("low", mulberry32(3)), noiseDb: 20 });
    expect(verdictOn(line.pass(samples))).toMatchObject({ by: "machine", reason: "long greeting" });
  });

  it("says it once", () => {
    const detector = createMachineDetector();
    const verdicts = [...framesOf(quiet(8))].map((frame) => detector.push(frame)).filter(Boolean);
    expect(verdicts).toHaveLength(1);
  });

  it("decides within 5 s whatever it hears, and never throws", () => {
    const sample = fc.integer({ min: -32_768, max: 32_767 });
    const stretch = fc.record({
      frames: fc.integer({ min: 1, max: 60 }),
      samples: fc.array(sample, { minLength: 1, maxLength: 160 }),
    });
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 1, maxLength: 30 }), (stretches) => {
        const detector = createMachineDetector();
        let decidedAfterMs: number | null = null;
        for (let at = 0, frames = 0; frames < 250; at++) {
          const { frames: count, samples } = stretches[at % stretches.length]!;
          const frame = Int16Array.from({ length: 160 }, (_, index) => samples[index % samples.length]!);
          for (let time = 0; time < count && frames < 250; time++, frames++) {
            const verdict = detector.push(frame);
            if (verdict) decidedAfterMs = verdict.afterMs;
          }
        }
        expect(decidedAfterMs).toBeGreaterThan(0);
        expect(decidedAfterMs).toBeLessThanOrEqual(5_000);
      }),
      { numRuns: 50 },
    );
  });
});
