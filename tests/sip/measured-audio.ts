import { FRAME_SAMPLES, SAMPLE_RATE } from "../../server/src/voice/media/media-leg.ts";

const TONE_HZ = 500;
const LEVEL = 6_000;
/** The first 60 ms of each second are louder: by them, time is told. */
const MARK_LEVEL = 16_000;
const MARK_SAMPLES = 480;
/** Between the two levels, after both have been through G.711. */
const MARKED = 11_000;
const QUIET = 1_000;

/** Frame `index` of a hum that marks each second. */
export function markedTone(index: number): Int16Array {
  return Int16Array.from({ length: FRAME_SAMPLES }, (_, offset) => {
    const at = index * FRAME_SAMPLES + offset;
    const level = at % SAMPLE_RATE < MARK_SAMPLES ? MARK_LEVEL : LEVEL;
    return Math.round(level * Math.sin((2 * Math.PI * TONE_HZ * at) / SAMPLE_RATE));
  });
}

export function markedTones(frames: number): Int16Array {
  const tones = new Int16Array(frames * FRAME_SAMPLES);
  for (let index = 0; index < frames; index++) tones.set(markedTone(index), index * FRAME_SAMPLES);
  return tones;
}

export interface Measured {
  frames: number;
  /** How many frames held nothing, and the longest run of them. */
  quietFrames: number;
  longestQuietMs: number;
  /** Of the hum between the marks, as it was sent: 1. */
  level: number;
  marks: number;
  /** By how much the marks have come closer or gone apart over all. */
  driftMs: number;
}

/** @param samples 8 kHz; what comes before the first mark is left out */
export function measure(samples: Int16Array): Measured {
  const marks: number[] = [];
  for (let at = 0; at < samples.length; at++) {
    if (Math.abs(samples[at]!) < MARKED) continue;
    marks.push(at);
    at += SAMPLE_RATE / 2;
  }
  const from = marks[0] ?? 0;
  let frames = 0;
  let quietFrames = 0;
  let quietRun = 0;
  let longestRun = 0;
  const levels: number[] = [];
  for (let at = from; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
    const peak = samples
      .subarray(at, at + FRAME_SAMPLES)
      .reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    frames++;
    quietRun = peak < QUIET ? quietRun + 1 : 0;
    if (quietRun > 0) quietFrames++;
    longestRun = Math.max(longestRun, quietRun);
    if (peak >= QUIET && peak < MARKED) levels.push(peak);
  }
  levels.sort((one, other) => one - other);
  const last = marks.at(-1) ?? 0;
  const seconds = Math.round((last - from) / SAMPLE_RATE);
  return {
    frames,
    quietFrames,
    longestQuietMs: longestRun * 20,
    level: (levels[Math.floor(levels.length / 2)] ?? 0) / LEVEL,
    marks: marks.length,
    driftMs: ((last - from - seconds * SAMPLE_RATE) * 1_000) / SAMPLE_RATE,
  };
}

/** A WAV file of 8 kHz, mono, 16 bits. */
export function wavOf(samples: Int16Array): Buffer {
  const head = Buffer.alloc(44);
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + bytes.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLE_RATE, 24);
  head.writeUInt32LE(2 * SAMPLE_RATE, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes.length, 40);
  return Buffer.concat([head, bytes]);
}

/** The samples of such a file. */
export function samplesOf(wav: Buffer): Int16Array {
  const from = wav.indexOf("data", 12, "latin1") + 8;
  const count = Math.floor((wav.length - from) / 2);
  return Int16Array.from({ length: count }, (_, index) => wav.readInt16LE(from + 2 * index));
}
