import type { Speech } from "../../speech/index.ts";
import { voiceCatalog } from "../../speech/index.ts";
import { type GreetingText, measuringTexts, tuningTexts } from "./greeting-texts.ts";
import { createMuLawChannel, createNoise, mulberry32, type Noise } from "./phone-line.ts";

export interface Greeting {
  name: string;
  kind: GreetingText["kind"];
  answeredBy: "human" | "machine";
  /** How long the first thing that is said takes, milliseconds. */
  firstMs: number;
  /** 8 kHz, through a phone line, some seconds longer than what is said. */
  samples: Int16Array;
  /** Where its beep begins and ends, milliseconds; null without one. */
  beep: { fromMs: number; toMs: number } | null;
}

const RATE = 8_000;
const MS = RATE / 1_000;
/** Of all frequencies that machines beep at, some. */
const BEEPS_HZ = [425, 440, 620, 850, 1_000, 1_400, 2_000];
/** How much below the speech the line's noise is, dB. */
const NOISES_DB = [40, 25, 18, 12];

/**
 * Greetings as a phone line brings them, in four voices each with its own noise, loudness, lead and clipping. The same at
 * every run: the voices and the random numbers are.
 *
 * @param half the one that the detector's figures were chosen by, or the one it hadn't seen
 */
export async function generateGreetings(
  speech: Speech,
  half: "tuning" | "measuring",
  { variantsPerText = 4 } = {},
): Promise<Greeting[]> {
  const random = mulberry32(half === "tuning" ? 1 : 2);
  const greetings: Greeting[] = [];
  for (const [index, text] of (half === "tuning" ? tuningTexts : measuringTexts).entries()) {
    for (let variant = 0; variant < variantsPerText; variant++) {
      const voice = voiceCatalog[(index + variant) % voiceCatalog.length]!.id;
      greetings.push(
        await greetingOf(speech, text, voice, NOISES_DB[(Math.floor(index / 2) + variant) % 4]!, random),
      );
    }
  }
  return greetings;
}

async function greetingOf(
  speech: Speech,
  text: GreetingText,
  voice: string,
  noiseDb: number,
  random: () => number,
): Promise<Greeting> {
  const isMachine = text.kind === "voicemail";
  const parts: Int16Array[] = [];
  const leadMs = pick(random, [0, 80, 300, 700, 1_300]);
  let firstMs = 0;
  for (const part of text.said) {
    if (typeof part === "number") {
      parts.push(new Int16Array(part * MS));
      continue;
    }
    const spoken = await speech.synthesize(part, voice);
    firstMs ||= spoken.length / MS;
    parts.push(spoken);
  }
  // The line is opened late, or the word was begun early.
  const clippedMs = leadMs === 0 && random() < 0.6 ? Math.round(60 + 140 * random()) : 0;
  parts[0] = parts[0]!.subarray(clippedMs * MS);
  parts.unshift(new Int16Array(leadMs * MS));

  let beep: Greeting["beep"] = null;
  if (isMachine && random() < 0.7) {
    const waitMs = Math.round(300 + 900 * random());
    const beepMs = pick(random, [150, 250, 400, 800]);
    const fromMs = parts.reduce((sum, part) => sum + part.length, 0) / MS + waitMs;
    beep = { fromMs, toMs: fromMs + beepMs };
    const hertz = pick(random, BEEPS_HZ);
    const amplitude = 3_000 + 5_000 * random();
    parts.push(new Int16Array(Math.round(waitMs * MS)));
    parts.push(
      Int16Array.from(
        { length: beepMs * MS },
        (_, at) =>
          amplitude *
          Math.sin((2 * Math.PI * hertz * at) / RATE) *
          Math.min(1, at / 40, (beepMs * MS - at) / 40),
      ),
    );
  }
  parts.push(new Int16Array(6 * RATE));
  const noise: Noise = pick(random, ["white", "low", "hum"]);
  const gainDb = -8 * random();
  const samples = createMuLawChannel({ gainDb, noise: createNoise(noise, random), noiseDb }).pass(
    joined(parts),
  );
  return {
    name: `${text.kind}, ${voice}, noise ${noise} −${noiseDb} dB, lead ${leadMs} ms, clipped ${clippedMs} ms: ${text.said[0]}`,
    kind: text.kind,
    answeredBy: isMachine ? "machine" : "human",
    firstMs,
    samples,
    beep,
  };
}

function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
