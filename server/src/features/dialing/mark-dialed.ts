import { type Transaction, timestamp } from "../../database/database.ts";
import * as sql from "./attempts.sql.ts";
import type { ClaimedAttempt } from "./claimed-attempt.ts";
import type { DialingDeps } from "./dialing-deps.ts";

/**
 * The fence, in the transaction that opens the call: the last moment at which an attempt can be stopped. The campaign is active,
 * and stays so until the transaction has ended, so that a stop is effective once it has committed; the lead is still the campaign's,
 * and has its consent where that is needed; the claim is still this dialer's; the hours haven't ended; and nobody else, such as the
 * API, is calling the number, or has called it since the claim. The do-not-call list is `openCall`'s to look at, at the same moment.
 * @returns false: nothing may be dialed
 */
export async function markDialed(
  deps: Pick<DialingDeps, "clock">,
  transaction: Transaction,
  { organizationId, campaignId, id, workerId, isAllowedAt }: ClaimedAttempt,
): Promise<boolean> {
  if (!isAllowedAt(deps.clock.now())) return false;
  const [active] = await transaction.query({ ...sql.holdCampaign, values: [organizationId, campaignId] });
  if (!active) return false;
  const [dialed] = await transaction.query({
    ...sql.markDialed,
    values: [organizationId, id, workerId, timestamp(deps.clock.now())],
  });
  return dialed !== undefined;
}
