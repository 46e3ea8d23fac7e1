import { SAMPLE_RATE } from "../../media/media-leg.ts";

const BEEP_HERTZ = 1_000;
const AMPLITUDE = 9_000;
/** Begins and ends softly, as a real tone does: a click would be heard as another sound. */
const RAMP_SAMPLES = 40;

/** The tone of an answering machine. */
export function beep(milliseconds: number): Int16Array {
  const samples = new Int16Array((milliseconds * SAMPLE_RATE) / 1_000);
  for (let index = 0; index < samples.length; index++) {
    const ramp = Math.min(1, index / RAMP_SAMPLES, (samples.length - index) / RAMP_SAMPLES);
    samples[index] = AMPLITUDE * ramp * Math.sin((2 * Math.PI * BEEP_HERTZ * index) / SAMPLE_RATE);
  }
  return samples;
}
