import { FRAME_SAMPLES } from "./media-leg.ts";

/** What tells a voice from noise and from tones, in 20 ms of audio after the other. */
export interface VoicingAnalyzer {
  /** @returns the loudness of these 160 samples: decibels below full scale, never below -90 */
  hear(samples: Int16Array): number;
  /** What was heard last. Costs four times as much as `hear`, so only to be asked where it decides something. */
  judge(): Voicing;
}

/**
 * `voiced`: a voice's vowel, periodic at 60 to 400 Hz and not as flat as noise. `tonal`: one or two steady sinusoids, as
 * keys, dial and ringing tones, beeps, hum.
 */
export type Voicing = "voiced" | "tonal" | "other";

export const QUIETEST_DB = -90;
/** Half the sample rate is enough for a pitch, and takes a quarter of the work. */
const HALF_FRAME = FRAME_SAMPLES / 2;
const SHORTEST_LAG = 10;
const LONGEST_LAG = 66;
/** Takes out of low-pitched noise what would look like a pitch; a voice's overtones stay. */
const EMPHASIS = 0.75;
/** White noise stays below .4; of the vowels of four voices nine in ten are above .6. */
const PERIODIC = 0.55;
/** Vowels cross zero in less than a third of their samples, white noise in half of them. */
const MAX_VOICED_CROSSINGS = 0.35;
/** Through G.711 tones are predicted to 30 dB and more; so is one vowel in a hundred, and those that are deep and unsteady. */
const TONAL_GAIN_DB = 28;
const STEADY_DB = 0.8;
/** 320 Hz: the tones of telephony are above it, the lone fundamental of a hummed vowel below. */
const MIN_TONE_CROSSINGS = 0.08;

/** Looks at one call's audio, frame by frame. */
export function createVoicingAnalyzer(): VoicingAnalyzer {
  const half = new Float32Array(FRAME_SAMPLES);
  let frame: Int16Array = new Int16Array(FRAME_SAMPLES);
  let previousHalf = 0;
  let level = QUIETEST_DB;
  let steady = false;
  let crossings = 0;

  return {
    hear(samples) {
      frame = samples;
      half.copyWithin(0, HALF_FRAME);
      let energy = 0;
      crossings = 0;
      let wasPositive = samples[0]! > 0;
      for (let at = 0; at < FRAME_SAMPLES; at++) {
        const sample = samples[at]!;
        energy += sample * sample;
        const isPositive = sample > 0;
        if (isPositive !== wasPositive) crossings++;
        wasPositive = isPositive;
      }
      for (let at = 0; at < HALF_FRAME; at++) {
        const sample = (samples[2 * at]! + samples[2 * at + 1]!) / 2;
        half[HALF_FRAME + at] = sample - EMPHASIS * previousHalf;
        previousHalf = sample;
      }
      const before = level;
      level = Math.max(QUIETEST_DB, 10 * Math.log10(energy / FRAME_SAMPLES / 32_768 ** 2 + 1e-12));
      steady = Math.abs(level - before) < STEADY_DB;
      return level;
    },
    judge() {
      const couldBeTone = steady || crossings > MIN_TONE_CROSSINGS * FRAME_SAMPLES;
      if (couldBeTone && predictionGain(frame) > TONAL_GAIN_DB) return "tonal";
      if (crossings >= MAX_VOICED_CROSSINGS * FRAME_SAMPLES) return "other";
      return periodicity(half) > PERIODIC ? "voiced" : "other";
    },
  };
}

/** The best correlation (up to 1) of the newer half with what came 2.5 to 16.5 ms before it. */
function periodicity(half: Float32Array): number {
  let own = 1;
  for (let at = HALF_FRAME; at < FRAME_SAMPLES; at++) own += half[at]! ** 2;
  let other = 1;
  for (let at = HALF_FRAME; at < FRAME_SAMPLES; at++) other += half[at - SHORTEST_LAG]! ** 2;
  let best = 0;
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
    let product = 0;
    for (let at = HALF_FRAME; at < FRAME_SAMPLES; at++) product += half[at]! * half[at - lag]!;
    best = Math.max(best, product / Math.sqrt(own * other));
    // The next lag's energy has one sample more in front, and one less at the end.
    other += half[HALF_FRAME - lag - 1]! ** 2 - half[FRAME_SAMPLES - lag - 1]! ** 2;
  }
  return best;
}

const ORDER = 8;
const COLUMNS = ORDER + 1;
/** [i][j]: the sum over all samples of the one i before times the one j before. Filled anew each time. */
const products = new Float64Array(COLUMNS * COLUMNS);

/**
 * How well each sample follows from the eight before it, in decibels: for two sinusoids four would do, the
 * others average G.711's noise away. (Linear prediction by the covariance method, solved by elimination.)
 */
function predictionGain(samples: Int16Array): number {
  for (let column = 0; column <= ORDER; column++) {
    let sum = 0;
    for (let at = ORDER; at < FRAME_SAMPLES; at++) sum += samples[at]! * samples[at - column]!;
    products[column] = sum;
    products[column * COLUMNS] = sum;
  }
  // The others differ from their upper left neighbour by a sample at either end.
  for (let row = 1; row <= ORDER; row++) {
    for (let column = 1; column <= ORDER; column++) {
      products[row * COLUMNS + column] =
        products[(row - 1) * COLUMNS + column - 1]! +
        samples[ORDER - row]! * samples[ORDER - column]! -
        samples[FRAME_SAMPLES - row]! * samples[FRAME_SAMPLES - column]!;
    }
  }
  const energy = products[0]! + 1;
  // A little on the diagonal keeps the system solvable where the audio is exactly predictable.
  for (let row = 1; row <= ORDER; row++) products[row * COLUMNS + row]! += 1;
  // Eliminating what the eight explain of each other, and of the sample itself, leaves in the corner what they don't.
  for (let pivot = ORDER; pivot >= 1; pivot--) {
    const divisor = products[pivot * COLUMNS + pivot]!;
    for (let row = 0; row < pivot; row++) {
      const factor = products[row * COLUMNS + pivot]! / divisor;
      for (let column = 0; column <= pivot; column++)
        products[row * COLUMNS + column]! -= factor * products[pivot * COLUMNS + column]!;
    }
  }
  return 10 * Math.log10(energy / Math.max(products[0]!, 1));
}
