import { FRAME_SAMPLES, SAMPLE_RATE } from "./media-leg.ts";

/** Finds keyed digits in the audio. */
export interface DigitDetector {
  /**
   * @param samples 20 ms: 160 samples. A frame of another length is taken for silence.
   * @returns `0-9*#A-D` once per press, as soon as it is sure, which takes 30 to 40 ms; null otherwise
   */
  push(samples: Int16Array): string | null;
}

const ROWS = [697, 770, 852, 941];
const COLUMNS = [1_209, 1_336, 1_477, 1_633];
const KEYS = ["123A", "456B", "789C", "*0#D"];

/** 20 ms are looked at every 10 ms, so that a press of 40 ms fills two of them wherever it begins. */
const WINDOW = FRAME_SAMPLES;
const STEP = WINDOW / 2;
const HITS_OF_PRESS = 2;
/** So long it must be gone before the same digit is another press: 30 ms. */
const MISSES_OF_RELEASE = 3;
/** Fainter than -36 dB below full scale it is an echo. */
const MIN_POWER = (32_768 * 10 ** (-36 / 20)) ** 2;
/** Of all the power in the window, the two tones'. Speech has overtones and formants beside them. */
const MIN_SHARE = 0.78;
/** By so much one tone may be stronger than the other: 8 dB. */
const MAX_TWIST = 10 ** (8 / 10);
/** What the weaker tone has at least then. Most speech is done with here. */
const MIN_ROW_SHARE = MIN_SHARE / (1 + MAX_TWIST);
/** By so much it stands out among the tones of its group: 6 dB. */
const MIN_LEAD = 10 ** (6 / 10);

const coefficients = (frequencies: readonly number[]) =>
  frequencies.map((frequency) => 2 * Math.cos((2 * Math.PI * frequency) / SAMPLE_RATE));
const ROW_COEFFICIENTS = coefficients(ROWS);
const COLUMN_COEFFICIENTS = coefficients(COLUMNS);

/** By the Goertzel algorithm at the eight frequencies of ITU-T Q.23. */
export function createDigitDetector(): DigitDetector {
  const window = new Float64Array(WINDOW + STEP);
  let candidate: string | null = null;
  let hits = 0;
  let misses = 0;
  let pressed: string | null = null;

  function see(digit: string | null): string | null {
    hits = digit !== null && digit === candidate ? hits + 1 : 1;
    candidate = digit;
    misses = digit === pressed ? 0 : misses + 1;
    if (pressed !== null && misses >= MISSES_OF_RELEASE) pressed = null;
    if (digit === null || digit === pressed || hits < HITS_OF_PRESS) return null;
    pressed = digit;
    misses = 0;
    return digit;
  }

  return {
    push(samples) {
      // The last half window stays: windows reach across frames.
      window.copyWithin(0, WINDOW);
      if (samples.length === FRAME_SAMPLES) window.set(samples, STEP);
      else window.fill(0, STEP);
      return see(digitIn(window.subarray(0, WINDOW))) ?? see(digitIn(window.subarray(STEP)));
    },
  };
}

/** @param milliseconds of both tones; of this amplitude each */
export function dtmfTone(digit: string, milliseconds: number, amplitude = 5_000): Int16Array {
  const row = KEYS.findIndex((keys) => keys.includes(digit));
  const column = KEYS[row]?.indexOf(digit) ?? -1;
  if (digit.length !== 1 || column < 0) throw new RangeError("A digit is one of 0-9, *, #, A-D.");
  const angle = (frequency: number) => (2 * Math.PI * frequency) / SAMPLE_RATE;
  return Int16Array.from({ length: (milliseconds * SAMPLE_RATE) / 1_000 }, (_, at) =>
    Math.round(amplitude * (Math.sin(angle(ROWS[row]!) * at) + Math.sin(angle(COLUMNS[column]!) * at))),
  );
}

function digitIn(window: Float64Array): string | null {
  let energy = 0;
  for (const sample of window) energy += sample * sample;
  if (energy < MIN_POWER * WINDOW) return null;
  const row = strongest(window, ROW_COEFFICIENTS);
  if (!row || (2 * row.power) / WINDOW < MIN_ROW_SHARE * energy) return null;
  const column = strongest(window, COLUMN_COEFFICIENTS);
  if (!column) return null;
  if (row.power > column.power * MAX_TWIST || column.power > row.power * MAX_TWIST) return null;
  if ((2 * (row.power + column.power)) / WINDOW < MIN_SHARE * energy) return null;
  return KEYS[row.index]![column.index]!;
}

/** @returns null when none stands out */
function strongest(window: Float64Array, group: readonly number[]): { index: number; power: number } | null {
  let best = { index: 0, power: -1 };
  let second = -1;
  for (let index = 0; index < group.length; index++) {
    const power = goertzel(window, group[index]!);
    if (power > best.power) {
      second = best.power;
      best = { index, power };
    } else if (power > second) second = power;
  }
  return best.power > second * MIN_LEAD ? best : null;
}

function goertzel(window: Float64Array, coefficient: number): number {
  let last = 0;
  let before = 0;
  for (let at = 0; at < WINDOW; at++) {
    const next = window[at]! + coefficient * last - before;
    before = last;
    last = next;
  }
  return last * last + before * before - coefficient * last * before;
}
