import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import * as sql from "./attempts.sql.ts";

/** What the dialers of all processes are at. */
export interface DialingFigures {
  /** Attempts under way, by state. */
  live: { claimed: number; dialed: number };
  /** Seconds since the first lead of an active campaign that is due came due; 0 when none is. */
  oldestDueSeconds: number;
}

export async function readDialingFigures(deps: {
  database: Database;
  clock: Clock;
}): Promise<DialingFigures> {
  const now = deps.clock.now();
  const [row] = await deps.database.query<{ claimed: number; dialed: number; oldest_due_at: number | null }>({
    ...sql.readFigures,
    values: [timestamp(now)],
  });
  const { claimed, dialed, oldest_due_at } = row!;
  return {
    live: { claimed, dialed },
    oldestDueSeconds: oldest_due_at === null ? 0 : Math.max(0, now - oldest_due_at) / 1000,
  };
}
