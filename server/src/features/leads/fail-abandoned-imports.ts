import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import * as sql from "./import-leads.sql.ts";

/** Far longer than any import takes: five megabytes are seconds of work. */
const LONGEST_IMPORT_MS = 3_600_000;

/**
 * Ends as `failed` what processes that died left `running`, in all organizations. The rows counted are in place.
 * @param runningSince instant in ms since the epoch: also ends younger imports that began before it, for a process that
 *   knows no other one works on this database and that it had none itself then
 * @returns how many it ended
 */
export async function failAbandonedImports(
  deps: { database: Queryable; clock: Clock },
  runningSince = 0,
): Promise<number> {
  const now = deps.clock.now();
  const before = Math.max(now - LONGEST_IMPORT_MS, runningSince);
  const failed = await deps.database.query({
    ...sql.failAbandoned,
    values: [timestamp(before), timestamp(now)],
  });
  return failed.length;
}
