import { SAMPLE_RATE } from "../../media/media-leg.ts";

/** Brings audio of another rate to 8 kHz, in parts of any length, without a seam between them. */
export type Resampler = (samples: Int16Array) => Int16Array;

/** Hz: below 4000 by the width of the filter's edge, above the telephone band's 3400. */
const CUTOFF = 3_600;
/** Zero crossings of the filter on each side. */
const LOBES = 16;

/** @param rate 8000 to 192000 */
export function createResampler(rate: number): Resampler {
  if (rate === SAMPLE_RATE) return (samples) => samples;
  const divisor = greatestDivisor(rate, SAMPLE_RATE);
  const phases = SAMPLE_RATE / divisor;
  const step = rate / divisor;
  const reach = Math.ceil((LOBES * rate) / (2 * CUTOFF));
  const filters = Array.from({ length: phases }, (_, phase) => lowPass(rate, reach, phase / phases));
  let kept = new Int16Array(reach);
  /** Where the next sample lies: `at + phase / phases` in `kept`. */
  let at = reach;
  let phase = 0;

  return (samples) => {
    const all = new Int16Array(kept.length + samples.length);
    all.set(kept);
    all.set(samples, kept.length);
    const made: number[] = [];
    while (at + reach < all.length) {
      const filter = filters[phase]!;
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap++) sum += filter[tap]! * all[at - reach + tap]!;
      made.push(Math.max(-32_768, Math.min(32_767, Math.round(sum))));
      phase += step;
      at += Math.floor(phase / phases);
      phase %= phases;
    }
    const from = Math.min(Math.max(0, at - reach), all.length);
    kept = all.slice(from);
    at -= from;
    return Int16Array.from(made);
  };
}

/** A windowed sinc around a point between two samples, of gain one. */
function lowPass(rate: number, reach: number, fraction: number): Float64Array {
  const taps = new Float64Array(2 * reach + 1);
  let sum = 0;
  for (let tap = 0; tap < taps.length; tap++) {
    const distance = tap - reach - fraction;
    const x = (2 * CUTOFF * distance) / rate;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    const window = Math.cos((Math.PI * distance) / (2 * reach + 2)) ** 2;
    taps[tap] = sinc * window;
    sum += taps[tap]!;
  }
  return taps.map((tap) => tap / sum);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
