import { type Database, timestamp } from "../../database/database.ts";
import { recordAudit } from "../audit/index.ts";
import * as sql from "./campaign-moves.sql.ts";
import type { DialingDeps } from "./dialing-deps.ts";
import { DIALER } from "./pause-dry.ts";

/**
 * Completes an active campaign that has dialed somebody and has nobody left to dial: no lead waits for anything but a change of
 * what blocks it, and none is being called.
 * @returns whether it was completed
 */
export async function completeCampaign(
  deps: Pick<DialingDeps, "clock" | "newId"> & { database: Database },
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
): Promise<boolean> {
  const values = [organizationId, campaignId];
  const isFinished = async (on: Pick<Database, "query">) =>
    (await on.query<{ finished: boolean }>({ ...sql.isFinished, values }))[0]!.finished;
  if (!(await isFinished(deps.database))) return false;
  return deps.database.transaction(async (transaction) => {
    const [active] = await transaction.query({ ...sql.lockActive, values });
    if (!active || !(await isFinished(transaction))) return false;
    await transaction.query({ ...sql.complete, values: [...values, timestamp(deps.clock.now())] });
    await recordAudit(deps, transaction, {
      organizationId,
      actor: DIALER,
      action: "campaign.completed",
      subjectType: "campaign",
      subjectId: campaignId,
      details: { from: "active", to: "completed", reason: "Nobody is left to dial." },
    });
    return true;
  });
}
