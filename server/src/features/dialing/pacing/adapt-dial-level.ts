import { ABANDONMENT_GATE, type Abandonment, abandonedShare } from "./abandonment.ts";

/** How the lines of a campaign fared lately: of those dialed in the last 30 minutes, the ones that are over or answered. */
export interface RecentLines {
  dialed: number;
  /** Answered by a person, or by nobody knows whom: abandoned ones too. */
  people: number;
}

export interface AdaptingState {
  /** As it was adapted last; the campaign's lines per seat before that. */
  level: number;
  recent: RecentLines;
  abandonment: Abandonment;
}

/** How often a level is adapted. */
export const ADAPT_EVERY_MS = 15_000;
const HIGHEST_LEVEL = 40;
/** A step up is no more than this share: a burst of luck isn't followed at once. A step down is as large as it must be. */
const STEP_UP = 0.1;
/** One-sided, 95 %. */
const CONFIDENCE = 1.645;
/**
 * By how much the level departs from what the answers alone say, for each part of the abandoned share that is free, or too much. Many
 * pending lines have rung for so long that nobody will answer them, so there is room for more; how much is found by trying. Without it
 * 20 seats talk 75 % of their time instead of 77 %, 50 seats 81 instead of 84 (`npm run bench predictive`).
 */
const GAIN = 2;
const LEAST_FACTOR = 0.5;
/** A pending line has been ringing for a while, so its answer is nearer than a new one's. The best of 0.5, 0.7, 1 and 1.5. */
const STILL_TO_RING = 0.7;

/**
 * The level of a predictive campaign, looked at every 15 s: how many lines bring one person, by the highest answer rate that
 * the recent lines leave plausible; more of them while the abandoned share is plausibly far below its gate, fewer when it may be
 * above. 1 when the share counted is at the gate.
 * @returns at least 1
 */
export function adaptDialLevel({ level, recent, abandonment }: AdaptingState): number {
  if (abandonedShare(abandonment) >= ABANDONMENT_GATE) return 1;
  const used = highestPlausible(abandonment.abandoned, abandonment.answered) / ABANDONMENT_GATE;
  const factor = Math.max(LEAST_FACTOR, 1 + GAIN * (1 - used));
  const learned = factor / highestPlausible(recent.people, recent.dialed);
  return Math.max(1, Math.min(learned, Math.max(1, level) * (1 + STEP_UP), HIGHEST_LEVEL));
}

/**
 * The share of taken seats that will be free by the time the pending lines are answered: talks end whenever they end, whatever they
 * have lasted.
 * @param answerMs from dialing a line until a person is known to be there, mean
 * @param talkMs from taking a seat to the call's end, mean
 * @returns 0 while one of them isn't known
 */
export function seatsAhead({ answerMs, talkMs }: { answerMs: number | null; talkMs: number | null }): number {
  if (answerMs === null || talkMs === null || answerMs <= 0) return 0;
  return 1 - Math.exp((-STILL_TO_RING * answerMs) / Math.max(1, talkMs));
}

/** The upper end of Wilson's interval of a share; 1 when nothing was seen. */
function highestPlausible(found: number, of: number): number {
  if (of <= 0) return 1;
  const share = Math.min(1, Math.max(0, found / of));
  const z2 = CONFIDENCE ** 2;
  const spread = CONFIDENCE * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of));
  return Math.min(1, (share + z2 / (2 * of) + spread) / (1 + z2 / of));
}
