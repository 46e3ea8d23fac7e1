import { SAMPLE_RATE } from "../../voice/media/media-leg.ts";
import type { Speech } from "../../voice/speech/speech.ts";

/** As long as the words would take, and all of it this loud. */
export const SPOKEN_AMPLITUDE = 6_000;
const MS_PER_CHARACTER = 60;

export interface FakeSpeech extends Speech {
  /** What it was asked for. */
  readonly spoken: string[];
  /** Fails from now on; `never`: doesn't answer at all. */
  break(how: "fails" | "never" | "works"): void;
}

/** Speech without words: a tone of the length that the text would have. */
export function fakeSpeech(): FakeSpeech {
  const spoken: string[] = [];
  let how: "fails" | "never" | "works" = "works";
  return {
    spoken,
    break(given) {
      how = given;
    },
    async synthesize(text) {
      if (how === "never") await new Promise<never>(() => undefined);
      if (how === "fails") throw new Error("no voice today");
      spoken.push(text);
      return new Int16Array((text.length * MS_PER_CHARACTER * SAMPLE_RATE) / 1_000).fill(SPOKEN_AMPLITUDE);
    },
    async close() {},
  };
}
