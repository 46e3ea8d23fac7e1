import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Without Chromium its tests are skipped in sight, except where everything is required. */
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium && process.env.REQUIRE_ALL === "1") throw new Error(`There is no Chromium at ${CHROMIUM}.`);

/** A browser whose microphone plays a file, over and over, and asks nobody. */
export async function startChromium(options: {
  microphone: string;
  refuseMicrophone?: boolean;
}): Promise<Browser> {
  return await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--autoplay-policy=no-user-gesture-required",
      // For a machine without any other network.
      "--allow-loopback-in-peer-connection",
      "--use-fake-device-for-media-stream",
      ...(options.refuseMicrophone ? ["--deny-permission-prompts"] : ["--use-fake-ui-for-media-stream"]),
      `--use-file-for-fake-audio-capture=${options.microphone}`,
    ],
  });
}

/** A microphone that hears two seconds of one tone. 48 kHz, so that the browser plays it as it is. */
export function writeTone(file: string, hertz: number, amplitude = 12_000): Promise<string> {
  const samples = Int16Array.from({ length: 96_000 }, (_, at) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / 48_000)),
  );
  return writeWav(file, samples, 48_000);
}

/** A microphone that hears somebody who is silent for four seconds, speaks, and is silent for six. 16 kHz. */
export function writeMicrophone(file: string, words: Int16Array): Promise<string> {
  const samples = new Int16Array(10 * 16_000 + words.length);
  samples.set(words, 4 * 16_000);
  return writeWav(file, samples, 16_000);
}

async function writeWav(file: string, samples: Int16Array, rate: number): Promise<string> {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.byteLength, 40);
  await writeFile(file, Buffer.concat([header, Buffer.from(samples.buffer)]));
  return file;
}

/** How strong a tone is in 8 kHz audio: the amplitude of a pure one (Goertzel). */
export function toneStrength(samples: Int16Array, hertz: number): number {
  const turn = (2 * Math.PI * hertz) / 8_000;
  let real = 0;
  let imaginary = 0;
  for (let at = 0; at < samples.length; at++) {
    real += samples[at]! * Math.cos(turn * at);
    imaginary -= samples[at]! * Math.sin(turn * at);
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}
