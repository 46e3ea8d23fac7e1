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
  const isNoSpeech = new Uint8Array(frames);
  let heard = 0;
  let tones = 0;

  function threshold(): number {
    const known = sorted.subarray(0, heard);
    known.set(levels.subarray(0, heard));
    known.sort();
    const noise = known[Math.floor(NOISE_RANK * (heard - 1))]!;
    const loudest = known[Math.floor(LOUDEST_RANK * (heard - 1))]!;
    return Math.max(QUIETEST_SPEECH_DB, noise + ABOVE_NOISE_DB, loudest - BELOW_LOUDEST_DB);
  }

  return {
    push(level, isTone) {
      if (heard < frames) levels[heard++] = level;
      tones = isTone ? tones + 1 : 0;
      if (tones >= SHORTEST_TONE_FRAMES) isNoSpeech.fill(1, Math.max(0, heard - tones), heard);
      const least = threshold();
      const isSpeech = (at: number) => levels[at]! >= least && isNoSpeech[at] === 0;
      return track(heard, isSpeech, leastWordMs / FRAME_MS, betweenWordsMs / FRAME_MS);
    },
  };
}

function track(
  frames: number,
  isSpeech: (at: number) => boolean,
  leastWord: number,
  betweenWords: number,
): SpeechTrack {
  let words = 0;
  let first = 0;
  let last = 0;
  let from = -1;
  let to = -1;
  for (let at = 0; at <= frames; at++) {
    const speaks = at < frames && isSpeech(at);
    if (speaks && from !== -1 && at - to < betweenWords) to = at + 1;
    else if (speaks || at === frames) {
      if (from !== -1 && to - from >= leastWord) {
        if (words++ === 0) first = from;
        last = to;
      }
      from = at;
      to = at + 1;
    }
  }
  return { words, greetingMs: (last - first) * FRAME_MS, silenceMs: (frames - last) * FRAME_MS };
}
