import { type Database, timestamp } from "../../database/database.ts";
import * as sql from "./attempts.sql.ts";
import { CLAIM_LEASE_MS, type ClaimedAttempt } from "./claimed-attempt.ts";
import type { DialingDeps } from "./dialing-deps.ts";

type Deps = DialingDeps & { database: Database };

const MOST_AT_ONCE = 500;
/** What stood in the way may be gone by then. */
const AGAIN_MS = 1_000;

/**
 * Gives a claim up that couldn't be dialed: its lead waits again, and no attempt is counted. One that was dialed stays what it is:
 * its call's end settles it.
 * @param reason what was in the way: the code of a refusal, or words
 */
export async function dropClaim(
  deps: Deps,
  attempt: Pick<ClaimedAttempt, "organizationId" | "id" | "workerId">,
  reason: string,
): Promise<void> {
  const { organizationId, id, workerId } = attempt;
  const now = deps.clock.now();
  const dropped = await deps.database.query({
    ...sql.dropClaim,
    values: [organizationId, id, workerId, reason, timestamp(now), timestamp(now + AGAIN_MS)],
  });
  if (dropped.length > 0) deps.dialingMetrics.attemptEnded("dropped");
}

/** Gives up the claims of dialers that died before they dialed. Should one live after all, it finds its claim gone. */
export async function dropLostClaims(deps: Deps): Promise<{ again: boolean }> {
  const now = deps.clock.now();
  const lost = await deps.database.query<{ organization_id: string; id: string; worker_id: string }>({
    ...sql.findLostClaims,
    values: [timestamp(now), timestamp(now + 2 * CLAIM_LEASE_MS), MOST_AT_ONCE],
  });
  for (const { organization_id, id, worker_id } of lost)
    await dropClaim(deps, { organizationId: organization_id, id, workerId: worker_id }, "lost");
  return { again: lost.length === MOST_AT_ONCE };
}
