import { FRAME_SAMPLES } from "./media-leg.ts";

/** Makes up audio for packets that didn't come: what was said last goes on for a moment and fades. */
export interface Concealer {
  /** Audio that did come, in place: where it follows made-up audio its beginning is blended with that. */
  heard(samples: Int16Array): void;
  /** Fills `into` with what may have been said. After 60 ms without anything heard that is silence. */
  conceal(into: Int16Array): void;
}

const SHORTEST_PERIOD = 40;
/** 15 ms: a voice of 66 Hz. */
const LONGEST_PERIOD = 120;
/** What is compared to find the period: 20 ms. */
const COMPARED = FRAME_SAMPLES;
const HISTORY = COMPARED + LONGEST_PERIOD + SHORTEST_PERIOD;
/** At full loudness for the first 10 ms, gone after 60. */
const FULL_SAMPLES = 80;
const FADED_SAMPLES = 480;
/** 4 ms: as long as made-up and true audio are heard together. */
const BLEND_SAMPLES = 32;

/** Waveform repetition as in ITU-T G.711 Appendix I, in spirit: written from its public description. */
export function createConcealer(): Concealer {
  const history = new Int16Array(HISTORY);
  const period = new Float64Array(LONGEST_PERIOD);
  const blend = new Int16Array(BLEND_SAMPLES);
  let periodLength = 0;
  /** How much has been made up since something was heard. */
  let made = 0;

  function remember(samples: Int16Array): void {
    const kept = samples.length > HISTORY ? samples.subarray(samples.length - HISTORY) : samples;
    history.copyWithin(0, kept.length);
    history.set(kept, HISTORY - kept.length);
  }

  /** Takes the last period of what was heard; its end is blended into its beginning, so that it repeats without a click. */
  function takePeriod(): void {
    periodLength = findPeriod(history);
    const start = HISTORY - periodLength;
    const overlap = periodLength >> 2;
    for (let at = 0; at < periodLength; at++) {
      const fromEnd = periodLength - at;
      const sample = history[start + at]!;
      if (fromEnd > overlap) period[at] = sample;
      else {
        const weight = (overlap - fromEnd + 1) / (overlap + 1);
        period[at] = sample * (1 - weight) + history[start + at - periodLength]! * weight;
      }
    }
  }

  function fill(into: Int16Array): void {
    for (let at = 0; at < into.length; at++, made++) {
      const fading = (FADED_SAMPLES - made) / (FADED_SAMPLES - FULL_SAMPLES);
      into[at] = made >= FADED_SAMPLES ? 0 : period[made % periodLength]! * Math.min(1, fading);
    }
  }

  return {
    heard(samples) {
      if (made > 0) {
        const blended = blend.subarray(0, Math.min(BLEND_SAMPLES, samples.length));
        fill(blended);
        for (let at = 0; at < blended.length; at++) {
          const weight = (at + 1) / (blended.length + 1);
          samples[at] = samples[at]! * weight + blended[at]! * (1 - weight);
        }
        made = 0;
      }
      remember(samples);
    },
    conceal(into) {
      if (made === 0) takePeriod();
      fill(into);
    },
  };
}

/** The lag, 5 to 15 ms, at which the last 20 ms resemble most what came before them. */
function findPeriod(history: Int16Array): number {
  const from = HISTORY - COMPARED;
  let best = Number.NEGATIVE_INFINITY;
  let period = LONGEST_PERIOD;
  for (let lag = SHORTEST_PERIOD; lag <= LONGEST_PERIOD; lag++) {
    let product = 0;
    let energy = 1;
    for (let at = from; at < HISTORY; at += 2) {
      const before = history[at - lag]!;
      product += history[at]! * before;
      energy += before * before;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > best) {
      best = likeness;
      period = lag;
    }
  }
  return period;
}
