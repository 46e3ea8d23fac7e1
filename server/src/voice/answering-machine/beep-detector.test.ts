import { describe, expect, it } from "vitest";
import { decodeG711, encodeG711 } from "../media/g711.ts";
import { createSpeech, voiceCatalog } from "../speech/index.ts";
import { createNoise, mulberry32 } from "./testing/phone-line.ts";
import { beepsIn } from "./testing/score.ts";

const RATE = 8_000;
const FULL = 32_767;

interface Tone {
  hertz: readonly number[];
  ms: number;
  /** Of each, below full scale. */
  db?: readonly number[];
}

/** Silence, the tone through µ-law with some noise, silence. The tone begins after 500 ms and 7 more. */
function heard({ hertz, ms, db = hertz.map(() => -15) }: Tone, noiseLevel = 15): Int16Array {
  const noise = createNoise("white", mulberry32(5));
  const start = 507 * 8;
  const samples = Int16Array.from({ length: start + ms * 8 + RATE }, (_, at) => {
    const inside = at >= start && at < start + ms * 8;
    const tone = hertz.reduce(
      (sum, one, index) => sum + FULL * 10 ** (db[index]! / 20) * Math.sin((2 * Math.PI * one * at) / RATE),
      0,
    );
    return Math.max(-FULL, Math.min(FULL, (inside ? tone : 0) + noiseLevel * noise()));
  });
  return decodeG711("pcmu", encodeG711("pcmu", samples));
}

describe("the beep detector", () => {
  it.each([310, 400, 425, 440, 523, 697, 850, 1_000, 1_234, 1_400, 2_000, 2_480])(
    "finds a beep of %i Hz",
    (hertz) => {
      for (const ms of [140, 200, 500, 1_000]) {
        const found = beepsIn(heard({ hertz: [hertz], ms }));
        expect(found).toHaveLength(1);
        expect(found[0]! - 507 - ms).toBeGreaterThan(-20);
        expect(found[0]! - 507 - ms).toBeLessThanOrEqual(80);
      }
    },
  );

  it("finds loud ones and soft ones, and those in noise", () => {
    for (const db of [0, -6, -25, -35, -42])
      expect(beepsIn(heard({ hertz: [1_000], ms: 300, db: [db] }, 2))).toHaveLength(1);
    // 10 dB above the noise.
    expect(beepsIn(heard({ hertz: [850], ms: 300 }, 1_300))).toHaveLength(1);
  });

  it("reports one that doesn't end after 2 s, once", () => {
    const found = beepsIn(heard({ hertz: [1_100], ms: 5_000 }));
    expect(found).toHaveLength(1);
    expect(found[0]).toBeGreaterThan(2_300);
    expect(found[0]).toBeLessThan(2_700);
  });

  it("counts two beeps as two", () => {
    const beep = heard({ hertz: [900], ms: 200 });
    expect(beepsIn(Int16Array.from([...beep, ...beep]))).toHaveLength(2);
  });

  it("takes no keyed digit for one, also with one tone 8 dB below the other", () => {
    for (const low of [697, 770, 852, 941])
      for (const high of [1_209, 1_336, 1_477, 1_633])
        for (const twist of [-8, -4, 0, 4, 8])
          expect(beepsIn(heard({ hertz: [low, high], ms: 250, db: [-15, -15 + twist] }))).toEqual([]);
  });

  it.each([
    ["ringing", [440, 480], 2_000],
    ["busy", [480, 620], 500],
    ["dial tone", [350, 440], 1_500],
    ["call waiting, too short", [440], 60],
    ["too low", [200], 500],
    ["too high", [3_000], 500],
  ] as const)("takes no %s for one", (_, hertz, ms) => {
    expect(beepsIn(heard({ hertz, ms }))).toEqual([]);
  });

  it("takes no noise and no gliding tone for one", () => {
    const noise = createNoise("low", mulberry32(9));
    expect(beepsIn(Int16Array.from({ length: 20 * RATE }, () => 2_000 * noise()))).toEqual([]);
    let phase = 0;
    const gliding = Int16Array.from({ length: 4 * RATE }, (_, at) => {
      phase += (2 * Math.PI * (400 + 1_500 * ((at / RATE) % 1))) / RATE;
      return 8_000 * Math.sin(phase);
    });
    expect(beepsIn(gliding)).toEqual([]);
  });

  it("takes no speech for one", async () => {
    const speech = createSpeech();
    try {
      const text =
        "Ooh, you who knew! We will see, moo, zoom. Hello, hmm, yes: no, I mean. Our menu options have changed, so listen.";
      for (const { id } of voiceCatalog) {
        const samples = await speech.synthesize(text, id);
        expect(samples.length).toBeGreaterThan(5 * RATE);
        expect(beepsIn(decodeG711("pcmu", encodeG711("pcmu", samples))), id).toEqual([]);
      }
    } finally {
      await speech.close();
    }
  });
});
