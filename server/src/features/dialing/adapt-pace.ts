import { type Transaction, timestamp } from "../../database/database.ts";
import * as sql from "./adapt-pace.sql.ts";
import type { Abandonment } from "./pacing/abandonment.ts";
import { ADAPT_EVERY_MS, adaptDialLevel, seatsAhead } from "./pacing/adapt-dial-level.ts";
import type { Pace } from "./pacing/lines-to-dial.ts";

const ABANDONMENT_MS = 30 * 86_400_000;
const RECENT_MS = 30 * 60_000;

/** As `campaign_pacing` has it. */
export interface StoredPace {
  dial_level: number;
  seats_ahead: number;
  /** Milliseconds since the epoch. */
  adapted_at: number;
}

export interface Paced {
  pace: Pace;
  abandonment: Abandonment;
}

/** Of the modes that learn nothing. */
export const NO_PACE: Paced = { pace: { level: 1, ahead: 0 }, abandonment: { answered: 0, abandoned: 0 } };

/**
 * What predictive has learned of a campaign whose pacing the transaction holds, learned anew where that is 15 s old. The abandoned
 * are counted at every look: no line is dialed on a count that has grown since.
 */
export async function adaptPace(
  transaction: Transaction,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
  stored: StoredPace,
  now: number,
): Promise<Paced> {
  const values = [organizationId, campaignId];
  const [counted] = await transaction.query<Abandonment>({
    ...sql.countAbandoned,
    values: [...values, timestamp(now - ABANDONMENT_MS)],
  });
  const abandonment = counted!;
  if (now - stored.adapted_at < ADAPT_EVERY_MS)
    return { pace: { level: stored.dial_level, ahead: stored.seats_ahead }, abandonment };
  const [recent] = await transaction.query<{
    dialed: number;
    people: number;
    answer_ms: number | null;
    talk_ms: number | null;
  }>({ ...sql.readRecent, values: [...values, timestamp(now - RECENT_MS)] });
  const { dialed, people, answer_ms, talk_ms } = recent!;
  const pace = {
    level: adaptDialLevel({ level: stored.dial_level, recent: { dialed, people }, abandonment }),
    ahead: seatsAhead({ answerMs: answer_ms, talkMs: talk_ms }),
  };
  await transaction.query({
    ...sql.savePace,
    values: [...values, pace.level, pace.ahead, timestamp(now)],
  });
  return { pace, abandonment };
}
