import type { Clock } from "../clock.ts";
import { type Database, timestamp } from "../database/database.ts";
import { idsFrom } from "../ids.ts";

/** Stores a call as it stands after its end, or while it runs. @returns its id */
export async function insertTestCall(
  deps: { database: Database; clock: Clock },
  { organizationId, ended = true }: { organizationId: string; ended?: boolean },
): Promise<string> {
  const id = idsFrom(deps.clock)();
  const now = timestamp(deps.clock.now());
  await deps.database.query({
    text: `
      INSERT INTO calls (organization_id, id, origin, medium, status, call_template, template_context, metadata,
        rate_per_minute, transcript_status, owner_id, lease_until, created_at, ended_at)
      VALUES ($1, $2, 'api', 'phone', $3, '{}', '{}', '{}', 90, 'unavailable', $2, $4, $4, $5)`,
    values: [organizationId, id, ended ? "completed" : "in-progress", now, ended ? now : null],
  });
  return id;
}
