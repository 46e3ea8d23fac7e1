import type { Person } from "../people/make-people.ts";
import { type Chance, chanceFrom } from "../seeded-random.ts";

/** What becomes of one call, once it is dialed. Times are milliseconds. */
export type ModelledCall =
  | {
      answered: false;
      outcome: "busy" | "no_answer" | "failed" | "congestion" | "invalid_number" | "blocked";
      ringMs: number;
    }
  | { answered: true; by: "machine"; ringMs: number; talkMs: number }
  | {
      answered: true;
      by: "human";
      ringMs: number;
      /** How long they talk, when there is somebody to talk to. */
      talkMs: number;
      /** What they want in the end: to be left alone for good, to be called later, or nothing that concerns the dialer. */
      wish: "never_again" | "later" | null;
      /** How much later, for `later`. */
      laterMs: number;
    };

const SECOND = 1_000;
const HOUR = 3_600_000;
/** Nobody's phone rings longer. */
export const LONGEST_RING_MS = 30 * SECOND;

/** How many answer themselves, by the hour of their own clock from 0 to 23. */
const ANSWERS_BY_HOUR = [
  ...[0.01, 0.01, 0.01, 0.01, 0.01, 0.02, 0.04, 0.06],
  ...[0.08, 0.1, 0.11, 0.11, 0.12, 0.11, 0.1, 0.1],
  ...[0.12, 0.15, 0.17, 0.17, 0.14, 0.09, 0.05, 0.02],
];
/** During the day more phones are busy. */
const busyShare = (hour: number) => (hour >= 9 && hour < 18 ? 0.05 : 0.03);
const SHARE_NETWORK_FAILS = 0.012;
const SHARE_CONGESTION = 0.004;
const SHARE_BLOCKED = 0.0015;
/** Of those whom nobody answers for. */
const SHARE_MACHINE = 0.55;

const SHARE_NEVER_AGAIN = 0.03;
const SHARE_LATER = 0.06;
const SHARE_HANG_UP_AT_ONCE = 0.25;

/**
 * A call to a person: the same one for the same seed, person and number of the attempt, whatever happens to others.
 * @param attempt how often they have been called before
 */
export function modelCall(input: {
  seed: number;
  person: Person;
  attempt: number;
  /** The hour that their clock shows, 0 to 23. */
  hour: number;
}): ModelledCall {
  const { person, hour } = input;
  const chance = chanceFrom(input.seed, person.index, input.attempt);
  if (!person.reachable) return { answered: false, outcome: "invalid_number", ringMs: 2 * SECOND };
  const network = chance.next();
  if (network < SHARE_BLOCKED) return { answered: false, outcome: "blocked", ringMs: SECOND };
  if (network < SHARE_BLOCKED + SHARE_CONGESTION)
    return { answered: false, outcome: "congestion", ringMs: SECOND };
  if (network < SHARE_BLOCKED + SHARE_CONGESTION + SHARE_NETWORK_FAILS)
    return { answered: false, outcome: "failed", ringMs: 4 * SECOND };
  if (chance.happens(busyShare(hour))) return { answered: false, outcome: "busy", ringMs: 3 * SECOND };
  if (chance.happens((ANSWERS_BY_HOUR[hour] ?? 0) * person.readiness)) return answerOf(chance);
  if (chance.happens(SHARE_MACHINE)) {
    return {
      answered: true,
      by: "machine",
      ringMs: chance.between(18, 25) * SECOND,
      talkMs: chance.between(3, 7) * SECOND,
    };
  }
  return { answered: false, outcome: "no_answer", ringMs: LONGEST_RING_MS };
}

function answerOf(chance: Chance): ModelledCall {
  const ringMs = Math.min(28, Math.max(3, chance.logNormal(10, 0.5))) * SECOND;
  const wished = chance.next();
  const wish =
    wished < SHARE_NEVER_AGAIN ? "never_again" : wished < SHARE_NEVER_AGAIN + SHARE_LATER ? "later" : null;
  const atOnce = wish === null && chance.happens(SHARE_HANG_UP_AT_ONCE);
  const talk = atOnce ? chance.between(3, 8) : Math.min(900, Math.max(8, chance.logNormal(70, 0.8)));
  return {
    answered: true,
    by: "human",
    ringMs: Math.round(ringMs),
    talkMs: Math.round(talk * SECOND),
    wish,
    laterMs: chance.between(2, 60) * (HOUR / 2),
  };
}
