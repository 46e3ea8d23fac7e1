import { decodeG711, encodeG711 } from "../../media/g711.ts";

export type Noise = "white" | "low" | "hum";

/** How loud the embedded voices speak, mean power relative to full scale. */
const SPEECH_DB = -19;
const RATE = 8_000;

/** Numbers from 0 to 1 that look random, the same for the same seed (mulberry32, public domain). */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns the next sample of a noise of mean power 1 */
export function createNoise(kind: Noise, random: () => number): () => number {
  const white = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  if (kind === "white") return white;
  if (kind === "low") {
    // A street or a room: mostly below 500 Hz, and swelling.
    let state = 0;
    let time = 0;
    const pole = 0.8;
    return () => {
      state = pole * state + Math.sqrt(1 - pole * pole) * white();
      return state * (1 + 0.3 * Math.sin((2 * Math.PI * 0.7 * time++) / RATE));
    };
  }
  let time = 0;
  return () => {
    const phase = (2 * Math.PI * 60 * time++) / RATE;
    return Math.sin(phase) + 0.8 * Math.sin(3 * phase) + 0.2 * white();
  };
}

/** Loudness, noise `noiseDb` below the speech, the telephone band and µ-law. */
export function createMuLawChannel(options: { gainDb: number; noise: () => number; noiseDb: number }) {
  const gain = 10 ** (options.gainDb / 20);
  const noiseGain = 32_768 * 10 ** ((SPEECH_DB - options.noiseDb + options.gainDb) / 20);
  return {
    pass(samples: Int16Array): Int16Array {
      const highPass = createHighPass(250);
      const noisy = Int16Array.from(samples, (sample) =>
        Math.max(
          -32_768,
          Math.min(32_767, Math.round(highPass(gain * sample + noiseGain * options.noise()))),
        ),
      );
      return decodeG711("pcmu", encodeG711("pcmu", noisy));
    },
  };
}

/** First order: what a handset takes away of a hum. */
function createHighPass(hertz: number): (sample: number) => number {
  const keep = 1 / (1 + (2 * Math.PI * hertz) / RATE);
  let last = 0;
  let out = 0;
  return (sample) => {
    out = keep * (out + sample - last);
    last = sample;
    return out;
  };
}
