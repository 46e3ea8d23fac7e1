import { type Database, type Transaction, timestamp } from "../../database/database.ts";
import { recordAudit } from "../audit/index.ts";
import * as sql from "./campaign-moves.sql.ts";
import { isDry, readTerms } from "./dial-facts.ts";
import type { DialingDeps } from "./dialing-deps.ts";
import { haltOf } from "./free-lines.ts";

/** Who pauses and completes campaigns by itself, in the audit log. */
export const DIALER = "dialer";

const WHY = "The organization's token balance is exhausted.";

/**
 * Pauses an active campaign that somebody waits in and nothing but money stands in the way of. Not one whose running calls hold what
 * is left: that may come back.
 */
export async function pauseDry(
  deps: Pick<DialingDeps, "clock" | "newId"> & { database: Database },
  campaign: { organizationId: string; campaignId: string },
): Promise<void> {
  await deps.database.transaction(async (transaction) => {
    const terms = await readTerms(transaction, campaign.organizationId, campaign.campaignId);
    if (terms && haltOf({ ...terms, balance: Number.POSITIVE_INFINITY }) === null && isDry(terms))
      await pauseCampaign(deps, transaction, campaign);
  });
}

/** Pauses an active campaign that nothing is left to pay for, and says why. Whoever has money again resumes it. */
export async function pauseCampaign(
  deps: Pick<DialingDeps, "clock" | "newId">,
  transaction: Transaction,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<void> {
  const paused = await transaction.query({
    ...sql.pause,
    values: [organizationId, campaignId, timestamp(deps.clock.now()), WHY],
  });
  if (paused.length === 0) return;
  await recordAudit(deps, transaction, {
    organizationId,
    actor: DIALER,
    action: "campaign.paused",
    subjectType: "campaign",
    subjectId: campaignId,
    details: { from: "active", to: "paused", reason: WHY },
  });
}
