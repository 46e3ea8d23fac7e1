import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import * as sql from "./deliveries.sql.ts";
import { findOldestDue } from "./dispatch/find-due.ts";

/** A count of rows, made at every scrape, must not read millions of them: it stops here. */
const COUNTED_AT_MOST = 100_000;

export interface DeliveryGauges {
  /** Queued deliveries and dead letters by state, each counted up to 100,000. */
  byState: { pending: number; retrying: number; dead_letter: number };
  /** Seconds since the oldest due delivery came due; 0 when none is due. */
  oldestDueSeconds: number;
}

/** What /metrics shows of deliveries. Finished ones are counted as they end, by the dispatcher's `onAttempt`. */
export async function readDeliveryGauges(deps: {
  database: Database;
  clock: Clock;
}): Promise<DeliveryGauges> {
  const now = deps.clock.now();
  const [counts, oldestDueAt] = await Promise.all([
    deps.database.query<{ state: keyof DeliveryGauges["byState"]; count: number }>({
      ...sql.countDeliveries,
      values: [COUNTED_AT_MOST],
    }),
    findOldestDue(deps, now),
  ]);
  const byState = { pending: 0, retrying: 0, dead_letter: 0 };
  for (const { state, count } of counts) byState[state] = count;
  return { byState, oldestDueSeconds: oldestDueAt === null ? 0 : (now - oldestDueAt) / 1000 };
}
