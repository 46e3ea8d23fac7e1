import { FRAME_MS } from "../media/media-leg.ts";
import { createBeepFinder } from "./beep-detector.ts";
import { createSpeechTracker, type SpeechTrack } from "./speech-track.ts";
import { createToneMeter, type ToneReading } from "./tone-meter.ts";

export interface Verdict {
  by: "human" | "machine" | "unknown";
  reason: "short greeting" | "long greeting" | "many words" | "beep" | "silence" | "time is up";
  /** After the answer. */
  afterMs: number;
}

export interface MachineDetector {
  /**
   * @param frame 20 ms of what was heard since the answer: 160 samples at 8 kHz
   * @returns the verdict, once; null before and after
   */
  push(frame: Int16Array): Verdict | null;
}

/** In milliseconds, but for `mostWords`. Asterisk and Twilio have the same under similar names. */
export interface MachineDetectorOptions {
  /** Who says nothing for so long is unknown. */
  initialSilence?: number;
  /** Who talks for longer is a machine. */
  greeting?: number;
  /** Who is still talking after `total`, for longer than this, is one too. */
  greetingAtTotal?: number;
  /** So long a silence after a greeting is a person who waits for an answer. */
  afterGreetingSilence?: number;
  /** Everything is decided by then. */
  total?: number;
  /** Shorter sounds aren't words. */
  leastWord?: number;
  betweenWords?: number;
  /** Who says more words is a machine. */
  mostWords?: number;
}

const defaults: Required<MachineDetectorOptions> = {
  initialSilence: 2_500,
  greeting: 3_700,
  greetingAtTotal: 3_100,
  afterGreetingSilence: 700,
  total: 4_960,
  leastWord: 100,
  betweenWords: 50,
  mostWords: 99,
};

/** Ringing and keyed digits: two tones have nearly all of the energy. */
const TONE_SHARE = 0.93;
/** A mains hum is noise. */
const LOWEST_TONE_HZ = 300;

/**
 * Finds out within 5 s who answered, from how long is spoken and when it is quiet: people say little and wait, machines
 * say a lot. A person is recognized as soon as they wait; nobody waits for the verdict on a machine, so it takes longer.
 * Made anew for each call.
 */
export function createMachineDetector(options: MachineDetectorOptions = {}): MachineDetector {
  const limits = { ...defaults, ...options };
  const meter = createToneMeter();
  const isBeep = createBeepFinder();
  const tracker = createSpeechTracker({
    frames: Math.ceil(limits.total / FRAME_MS),
    leastWordMs: limits.leastWord,
    betweenWordsMs: limits.betweenWords,
  });
  let afterMs = 0;
  let decided = false;

  return {
    push(frame) {
      if (decided) return null;
      afterMs += FRAME_MS;
      const tone = meter.push(frame);
      const track = tracker.push(levelOf(frame), isTone(tone));
      const verdict = isBeep(tone)
        ? ({ by: "machine", reason: "beep" } as const)
        : verdictOf(track, afterMs, limits);
      decided = verdict !== null;
      return verdict && { ...verdict, afterMs };
    },
  };
}

function verdictOf(
  { words, greetingMs, silenceMs }: SpeechTrack,
  afterMs: number,
  limits: Required<MachineDetectorOptions>,
): Pick<Verdict, "by" | "reason"> | null {
  if (greetingMs > limits.greeting) return { by: "machine", reason: "long greeting" };
  if (words > limits.mostWords) return { by: "machine", reason: "many words" };
  if (words > 0 && silenceMs >= limits.afterGreetingSilence) return { by: "human", reason: "short greeting" };
  if (words === 0 && silenceMs >= limits.initialSilence) return { by: "unknown", reason: "silence" };
  if (afterMs < limits.total) return null;
  return greetingMs > limits.greetingAtTotal
    ? { by: "machine", reason: "long greeting" }
    : { by: "unknown", reason: "time is up" };
}

function isTone({ frequency, pairShare }: ToneReading): boolean {
  return frequency >= LOWEST_TONE_HZ && pairShare >= TONE_SHARE;
}

/** Mean power in dB relative to full scale. */
function levelOf(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, frame.length) / 32_768 ** 2 + 1e-10);
}
