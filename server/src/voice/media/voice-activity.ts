import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import loadFvad from "@echogarden/fvad-wasm";
import { FRAME_MS, FRAME_SAMPLES } from "./media-leg.ts";
import { createVoicingAnalyzer, QUIETEST_DB } from "./voicing.ts";

/** Makes speech detectors. Loaded once; the process's memory for all of them is one WebAssembly instance. */
export interface VoiceActivity {
  createSpeechDetector(options?: SpeechDetectorOptions): SpeechDetector;
}

export interface SpeechDetectorOptions {
  /** After so much silence speech has ended, milliseconds: 640 when left out. */
  hangoverMs?: number;
  /** So many of the last three frames must be a voice's before speech has started: 1 to 3, 2 when left out. */
  onsetFrames?: number;
}

export type SpeechEvent =
  | { type: "started" }
  /** `durationMs`: from the first to the last of the speech, without the silence that ended it. */
  | { type: "ended"; durationMs: number };

export interface SpeechDetector {
  /**
   * @param samples 20 ms: 160 samples. A frame of another length is taken for silence.
   * @returns what began or ended with this frame
   */
  push(samples: Int16Array): SpeechEvent | null;
  /** Releases what it holds of the shared memory, which the garbage collector would do later. Idempotent; `push` returns null afterwards. */
  close(): void;
}

const DEFAULT_HANGOVER_MS = 640;
const DEFAULT_ONSET_FRAMES = 2;
/** 0 takes most for speech, 3 the least. */
const MODE = 2;
/** Consonants and pauses for breath belong to speech for so long after a vowel. */
const UNVOICED_FRAMES = 12;
const ABOVE_FLOOR_DB = 8;
const BELOW_PEAK_DB = 32;
/** The floor is the quietest of the last one to two of these: loudness that stays is noise. */
const FLOOR_FRAMES = 75;
const ASSUMED_FLOOR_DB = -60;
/** Fainter than this nobody speaks on a phone. */
const FAINT_DB = -50;
/** While somebody speaks it is enough to find a vowel so often. */
const FRAMES_BETWEEN_VOWELS = 4;

/** @throws Error when the WebAssembly module can't be read or started */
export async function loadVoiceActivity(): Promise<VoiceActivity> {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve("@echogarden/fvad-wasm/fvad.wasm")));
  const fvad = await loadFvad({ wasmBinary });
  const input = fvad._malloc(FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT);
  // For detectors that nobody closes: the shared memory knows nothing of the garbage collector.
  const abandoned = new FinalizationRegistry<() => void>((release) => release());

  return {
    createSpeechDetector({ hangoverMs = DEFAULT_HANGOVER_MS, onsetFrames = DEFAULT_ONSET_FRAMES } = {}) {
      const detector = fvad._fvad_new();
      if (detector === 0) throw new Error("no memory for a voice activity detector");
      fvad._fvad_set_mode(detector, MODE);
      fvad._fvad_set_sample_rate(detector, FRAME_SAMPLES * (1_000 / FRAME_MS));
      const isSpeechLike = (samples: Int16Array) => {
        fvad.HEAP16.set(samples, input / Int16Array.BYTES_PER_ELEMENT);
        return fvad._fvad_process(detector, input, FRAME_SAMPLES) === 1;
      };
      let held = true;
      const release = () => {
        if (held) fvad._fvad_free(detector);
        held = false;
      };
      const made = createDetector(isSpeechLike, release, hangoverMs / FRAME_MS, onsetFrames);
      abandoned.register(made, release);
      return made;
    },
  };
}

/**
 * The WebRTC detector takes loud noise for speech, and tones too. So speech begins with frames that it takes for speech
 * and that are voiced; from then on unvoiced sounds count for as long as vowels keep coming.
 */
function createDetector(
  isSpeechLike: (samples: Int16Array) => boolean,
  release: () => void,
  hangoverFrames: number,
  onsetFrames: number,
): SpeechDetector {
  const analyzer = createVoicingAnalyzer();
  const floor = createFloor();
  let closed = false;
  let speaking = false;
  let level = QUIETEST_DB;
  let peak = QUIETEST_DB;
  let frame = 0;
  let startedAt = 0;
  let lastVoiced = Number.NEGATIVE_INFINITY;
  let lastActive = 0;
  /** One bit a frame, the newest lowest. */
  let voicedFrames = 0;

  return {
    push(samples) {
      if (closed) return null;
      frame++;
      const whole = samples.length === FRAME_SAMPLES;
      level = whole ? analyzer.hear(samples) : QUIETEST_DB;
      const audible = level > Math.max(FAINT_DB, floor(level) + ABOVE_FLOOR_DB, peak - BELOW_PEAK_DB);
      const active = audible && isSpeechLike(samples);
      const isAsked = active && (!speaking || frame - lastVoiced >= FRAMES_BETWEEN_VOWELS);
      const voicing = isAsked ? analyzer.judge() : "other";
      if (voicing === "voiced") lastVoiced = frame;
      voicedFrames = voicing === "tonal" ? 0 : ((voicedFrames << 1) | (voicing === "voiced" ? 1 : 0)) & 0b111;
      if (active && frame - lastVoiced <= UNVOICED_FRAMES) {
        lastActive = frame;
        peak = Math.max(peak, level);
      }
      if (!speaking && ones(voicedFrames) >= onsetFrames) {
        speaking = true;
        startedAt = frame - (31 - Math.clz32(voicedFrames));
        return { type: "started" };
      }
      if (speaking && frame - lastActive >= hangoverFrames) {
        speaking = false;
        peak = QUIETEST_DB;
        return { type: "ended", durationMs: (lastActive - startedAt + 1) * FRAME_MS };
      }
      return null;
    },
    close() {
      if (!closed) release();
      closed = true;
    },
  };
}

/** Learns how loud it is where nobody speaks. */
function createFloor(): (level: number) => number {
  let before = ASSUMED_FLOOR_DB;
  let current = 0;
  let frames = 0;
  let smooth = ASSUMED_FLOOR_DB;
  return (level) => {
    smooth += (level - smooth) / 4;
    current = Math.min(current, smooth);
    if (++frames === FLOOR_FRAMES) {
      before = current;
      current = 0;
      frames = 0;
    }
    return Math.min(before, current);
  };
}

function ones(bits: number): number {
  return (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1);
}
