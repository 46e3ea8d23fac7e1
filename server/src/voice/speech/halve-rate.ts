/** From 16 kHz to 8 kHz. */
const TAPS = 63;
/** Hz. Below the new Nyquist frequency by the width of the filter's edge, and above the telephone band's 3400. */
const CUTOFF = 3_600;
const RATE = 16_000;

const filter = lowPass();

/**
 * Halves the sample rate of 16 kHz audio. What lies above 4 kHz is filtered out first (by more than 50 dB from 4.2 kHz on):
 * left in, the hiss of an "s" would come back as a whistle.
 */
export function halveRate(samples: Int16Array): Int16Array {
  const halved = new Int16Array(Math.ceil(samples.length / 2));
  const middle = (TAPS - 1) / 2;
  for (let index = 0; index < halved.length; index++) {
    const start = 2 * index - middle;
    const from = Math.max(0, -start);
    const to = Math.min(TAPS, samples.length - start);
    let sum = 0;
    for (let tap = from; tap < to; tap++) sum += filter[tap]! * samples[start + tap]!;
    halved[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  }
  return halved;
}

/** A windowed sinc (Blackman: −74 dB at most beside it), of gain one. */
function lowPass(): Float64Array {
  const taps = new Float64Array(TAPS);
  const middle = (TAPS - 1) / 2;
  let sum = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    const x = (2 * CUTOFF * (tap - middle)) / RATE;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
    const phase = (2 * Math.PI * tap) / (TAPS - 1);
    taps[tap] = sinc * (0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase));
    sum += taps[tap]!;
  }
  return taps.map((tap) => tap / sum);
}
