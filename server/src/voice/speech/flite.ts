import type { VoiceId } from "./catalog.ts";
import { runProgram } from "./in-memory-wasi.ts";

/** The sample rate of all voices used here. */
const FLITE_SAMPLE_RATE = 16_000;

/** Which of Flite's voices speaks, and what brings it to the others' loudness (speech of about −19 dB below full scale). */
const voices: Record<VoiceId, { name: string; gain: number }> = {
  clara: { name: "slt", gain: 0.75 },
  marcus: { name: "rms", gain: 1.3 },
  angus: { name: "awb", gain: 1.25 },
  otto: { name: "kal16", gain: 2.5 },
};

const OUTPUT = "/out.wav";
const WAV_HEADER_BYTES = 44;
/** Of what the voices put out as silence: they breathe 80 to 290 ms before and after, which is heard as a slow answer. */
const SILENCE = 200;
const MARGIN_SAMPLES = 0.02 * FLITE_SAMPLE_RATE;

/**
 * Speaks one part of a text (see spokenParts). Blocks for 15 to 130 ms for a sentence, so never on the main thread.
 *
 * @returns 16 kHz, mono
 * @throws Error when the synthesizer fails
 */
export function speakWithFlite(flite: WebAssembly.Module, text: string, voice: VoiceId): Int16Array {
  const { name, gain } = voices[voice];
  const { exitCode, files } = runProgram(flite, ["flite", "-voice", name, "-t", text, "-o", OUTPUT]);
  const wav = [...files.values()][0];
  if (exitCode !== 0 || wav === undefined || wav.length < WAV_HEADER_BYTES)
    throw new Error(`the synthesizer ended with code ${exitCode}`);
  const sound = new DataView(wav.buffer, wav.byteOffset + WAV_HEADER_BYTES);
  const samples = new Int16Array(Math.floor((wav.length - WAV_HEADER_BYTES) / 2));
  for (let index = 0; index < samples.length; index++)
    samples[index] = Math.max(-32_768, Math.min(32_767, Math.round(gain * sound.getInt16(2 * index, true))));
  return trimmed(samples);
}

function trimmed(samples: Int16Array): Int16Array {
  const first = samples.findIndex((sample) => Math.abs(sample) >= SILENCE);
  if (first === -1) return new Int16Array(0);
  const last = samples.findLastIndex((sample) => Math.abs(sample) >= SILENCE);
  return samples.slice(Math.max(0, first - MARGIN_SAMPLES), last + 1 + MARGIN_SAMPLES);
}
