import { FRAME_SAMPLES, SAMPLE_RATE } from "../media/media-leg.ts";

/** What a window of 60 ms sounds like, as far as tones go. */
export interface ToneReading {
  /** Of the strongest tone, Hz. */
  frequency: number;
  /** Mean power of the window in dB, 0 for a full-scale square wave. */
  level: number;
  /** Which part of the energy the strongest tone has: some 1 for a lone tone, .5 for a pair of equals. */
  share: number;
  /** How far below the strongest tone the next one is, dB. Infinite when there is none. */
  lead: number;
  /** Which part the strongest two have together. */
  pairShare: number;
}

export interface ToneMeter {
  /** @returns the reading of the 60 ms that end with this frame */
  push(frame: Int16Array): ToneReading;
}

const WINDOW = 3 * FRAME_SAMPLES;
const POINTS = 512;
const BIN = SAMPLE_RATE / POINTS;
const FIRST_BIN = Math.round(120 / BIN);
const LAST_BIN = Math.round(3_700 / BIN);
/** To each side of a peak: 31 Hz, the width of the window's main lobe, so that the 440 and 480 Hz of a ringing tone are two. */
const LOBE = 2;

/** Looks for tones in 300 to 3400 Hz. Some 20 µs a frame. */
export function createToneMeter(): ToneMeter {
  const recent = new Float64Array(WINDOW);
  const hann = Float64Array.from(
    { length: WINDOW },
    (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / WINDOW),
  );
  const transform = createTransform();

  return {
    push(frame) {
      recent.copyWithin(0, FRAME_SAMPLES);
      for (let at = 0; at < FRAME_SAMPLES; at++)
        recent[WINDOW - FRAME_SAMPLES + at] = (frame[at] ?? 0) / 32_768;
      let energy = 0;
      for (const sample of recent) energy += sample * sample;
      const powers = transform(recent, hann);

      let total = 1e-12;
      for (let bin = FIRST_BIN; bin <= LAST_BIN; bin++) total += powers[bin]!;
      const first = peakOf(powers);
      const second = peakOf(powers, first);
      const firstPower = lobePower(powers, first);
      const secondPower = lobePower(powers, second);
      return {
        frequency: centerOf(powers, first) * BIN,
        level: 10 * Math.log10(energy / WINDOW + 1e-12),
        share: firstPower / total,
        lead: 10 * Math.log10(powers[first]! / (powers[second]! + 1e-15)),
        // Where their lobes touch, what lies between counts once.
        pairShare: Math.min(1, (firstPower + secondPower) / total),
      };
    },
  };
}

/** The strongest bin; with `except`, the strongest that is outside of that one's lobe. */
function peakOf(powers: Float64Array, except = Number.NaN): number {
  let peak = FIRST_BIN;
  let power = -1;
  for (let bin = FIRST_BIN; bin <= LAST_BIN; bin++) {
    if (powers[bin]! <= power || Math.abs(bin - except) <= LOBE) continue;
    peak = bin;
    power = powers[bin]!;
  }
  return peak;
}

function lobePower(powers: Float64Array, peak: number): number {
  let sum = 0;
  for (let bin = peak - LOBE; bin <= peak + LOBE; bin++) sum += powers[bin] ?? 0;
  return sum;
}

function centerOf(powers: Float64Array, peak: number): number {
  let sum = 0;
  for (let bin = peak - LOBE; bin <= peak + LOBE; bin++) sum += bin * (powers[bin] ?? 0);
  return sum / (lobePower(powers, peak) + 1e-15);
}

/** A radix-2 Fourier transform of 512 points. */
function createTransform() {
  const real = new Float64Array(POINTS);
  const imaginary = new Float64Array(POINTS);
  const powers = new Float64Array(POINTS / 2);
  const cosines = Float64Array.from({ length: POINTS / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / POINTS));
  const sines = Float64Array.from({ length: POINTS / 2 }, (_, at) => -Math.sin((2 * Math.PI * at) / POINTS));
  const bits = Math.log2(POINTS);
  const reversed = Uint16Array.from({ length: POINTS }, (_, at) => {
    let turned = 0;
    for (let bit = 0; bit < bits; bit++) if (at & (1 << bit)) turned |= 1 << (bits - 1 - bit);
    return turned;
  });

  return (samples: Float64Array, window: Float64Array): Float64Array => {
    real.fill(0);
    imaginary.fill(0);
    for (let at = 0; at < samples.length; at++) real[reversed[at]!] = samples[at]! * window[at]!;
    for (let size = 2; size <= POINTS; size *= 2) {
      const half = size / 2;
      const step = POINTS / size;
      for (let start = 0; start < POINTS; start += size) {
        for (let at = 0; at < half; at++) {
          const low = start + at;
          const high = low + half;
          const cosine = cosines[at * step]!;
          const sine = sines[at * step]!;
          const turnedReal = real[high]! * cosine - imaginary[high]! * sine;
          const turnedImaginary = real[high]! * sine + imaginary[high]! * cosine;
          real[high] = real[low]! - turnedReal;
          imaginary[high] = imaginary[low]! - turnedImaginary;
          real[low]! += turnedReal;
          imaginary[low]! += turnedImaginary;
        }
      }
    }
    for (let bin = 0; bin < powers.length; bin++)
      powers[bin] = real[bin]! * real[bin]! + imaginary[bin]! * imaginary[bin]!;
    return powers;
  };
}
