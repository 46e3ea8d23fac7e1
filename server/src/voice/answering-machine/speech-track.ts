import { FRAME_MS } from "../media/media-leg.ts";

/** What has been heard so far, in milliseconds. */
export interface SpeechTrack {
  /** 0 while nothing has been said. */
  words: number;
  /** From the first word's beginning to the last one's end. */
  greetingMs: number;
  /** Since the last word; since the beginning while nothing has been said. */
  silenceMs: number;
}

export interface SpeechTracker {
  /**
   * Takes the next 20 ms.
   *
   * @param level mean power in dB relative to full scale
   * @param isTone they are part of a ringing tone or of a keyed digit
   * @returns the track up to here, made anew from everything heard
   */
  push(level: number, isTone: boolean): SpeechTrack;
}

export interface SpeechTrackOptions {
  /** Frames that can be taken. */
  frames: number;
  leastWordMs: number;
  betweenWordsMs: number;
}

/** Quieter than that nobody is understood. */
const QUIETEST_SPEECH_DB = -46;
/** Above the line's noise. */
const ABOVE_NOISE_DB = 6;
/** A word is so much above the noise at its loudest: noise that swells isn't a word. */
const PEAK_ABOVE_NOISE_DB = 10;
/** Below the loudest speech: room echo and breath. */
const BELOW_LOUDEST_DB = 26;
const NOISE_RANK = 0.1;
const LOUDEST_RANK = 0.98;
/** Vowels are tones, too, for a moment. */
const SHORTEST_TONE_FRAMES = 6;

/**
 * Tells speech from silence with hindsight: the threshold comes from all that was heard, so that noise that was there from
 * the start isn't speech, and speech that was cut off at its beginning is.
 */
export function createSpeechTracker({
  frames,
  leastWordMs,
  betweenWordsMs,
}: SpeechTrackOptions): SpeechTracker {
  const levels = new Float64Array(frames);
  const sorted = new Float64Array(frames);
  const isTonal = new Uint8Array(frames);
  let heard = 0;
  let tones = 0;

  function thresholds() {
    const known = sorted.subarray(0, heard);
    known.set(levels.subarray(0, heard));
    known.sort();
    const noise = known[Math.floor(NOISE_RANK * (heard - 1))]!;
    const loudest = known[Math.floor(LOUDEST_RANK * (heard - 1))]!;
    return {
      speech: Math.max(QUIETEST_SPEECH_DB, noise + ABOVE_NOISE_DB, loudest - BELOW_LOUDEST_DB),
      peak: noise + PEAK_ABOVE_NOISE_DB,
    };
  }

  return {
    push(level, isTone) {
      if (heard < frames) levels[heard++] = level;
      tones = isTone ? tones + 1 : 0;
      if (tones >= SHORTEST_TONE_FRAMES) isTonal.fill(1, Math.max(0, heard - tones), heard);
      const { speech, peak } = thresholds();
      return track(heard, {
        isSpeech: (at) => levels[at]! >= speech && isTonal[at] === 0,
        isWord: (from, to) =>
          to - from >= leastWordMs / FRAME_MS && levels.subarray(from, to).some((at) => at >= peak),
        betweenWords: betweenWordsMs / FRAME_MS,
      });
    },
  };
}

interface Hearing {
  isSpeech(frame: number): boolean;
  isWord(from: number, to: number): boolean;
  /** Frames. A shorter gap belongs to the word. */
  betweenWords: number;
}

function track(frames: number, { isSpeech, isWord, betweenWords }: Hearing): SpeechTrack {
  let words = 0;
  let first = 0;
  let last = 0;
  let from = -1;
  let to = -1;
  for (let at = 0; at <= frames; at++) {
    const speaks = at < frames && isSpeech(at);
    if (!speaks && at < frames) continue;
    if (speaks && from !== -1 && at - to < betweenWords) {
      to = at + 1;
      continue;
    }
    if (from !== -1 && isWord(from, to)) {
      if (words++ === 0) first = from;
      last = to;
    }
    from = at;
    to = at + 1;
  }
  return { words, greetingMs: (last - first) * FRAME_MS, silenceMs: (frames - last) * FRAME_MS };
}
