import { FRAME_MS } from "../media/media-leg.ts";
import { createToneMeter, type ToneReading } from "./tone-meter.ts";

/** Finds the beep after which an answering machine records. */
export interface BeepDetector {
  /**
   * @param frame 20 ms: 160 samples at 8 kHz
   * @returns true once a beep: when it is over, or has lasted for 2 s
   */
  push(frame: Int16Array): boolean;
}

const LOWEST_HZ = 300;
const HIGHEST_HZ = 2_500;
/** Windows of 60 ms, 20 ms apart, that are all tone: together 120 ms. */
const SHORTEST_WINDOWS = 4;
const LONGEST_MS = 2_000;
const QUIETEST_DB = -48;
/** White noise 8 dB below the beep leaves it so much of the energy. */
const LEAST_SHARE = 0.8;
/** A keyed digit's two tones differ by at most 8 dB on the phone network, the partials of a voice by less. */
const LEAST_LEAD_DB = 13;
/** A voice that holds its tone wanders by more. */
const MOST_DRIFT = 0.015;
const MOST_LEVEL_CHANGE_DB = 6;

/**
 * A lone tone of 300 to 2500 Hz that keeps pitch and loudness for 120 ms: not speech, not keyed digits, and not the ringing,
 * busy and dial tones of North America, all of which are pairs.
 */
export function createBeepDetector(): BeepDetector {
  const meter = createToneMeter();
  const find = createBeepFinder();
  return { push: (frame) => find(meter.push(frame)) };
}

/** The same for who has the readings already. */
export function createBeepFinder(): (reading: ToneReading) => boolean {
  let windows = 0;
  let pitch = 0;
  let loudest = 0;
  let reported = false;

  function end(): boolean {
    const isBeep = windows >= SHORTEST_WINDOWS && !reported;
    windows = 0;
    reported = false;
    return isBeep;
  }

  return (reading) => {
    if (!isTone(reading)) return end();
    const { frequency, level } = reading;
    const continues =
      windows > 0 &&
      Math.abs(frequency - pitch) <= MOST_DRIFT * pitch &&
      // Its first windows are half empty.
      (windows <= 2 || Math.abs(level - loudest) <= MOST_LEVEL_CHANGE_DB);
    if (!continues) {
      const ended = end();
      windows = 1;
      pitch = frequency;
      loudest = level;
      return ended;
    }
    windows++;
    pitch += (frequency - pitch) / windows;
    loudest = Math.max(loudest, level);
    if (reported || windows * FRAME_MS < LONGEST_MS) return false;
    reported = true;
    return true;
  };
}

function isTone({ frequency, level, share, lead }: ToneReading): boolean {
  return (
    level >= QUIETEST_DB &&
    frequency >= LOWEST_HZ &&
    frequency <= HIGHEST_HZ &&
    share >= LEAST_SHARE &&
    lead >= LEAST_LEAD_DB
  );
}
