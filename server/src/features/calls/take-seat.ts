import { timestamp } from "../../database/database.ts";
import type { CallsDeps } from "./calls-deps.ts";
import type { OpenedCall } from "./open-call.ts";
import * as sql from "./seats.sql.ts";

/**
 * Takes a seat of the call's campaign for the person who answered. The seats are counted in the database, one taker after the
 * other, so that all processes together seat no more people than there are seats. It is free again when the call has ended.
 * @returns false: all were taken, and the attempt is stored as abandoned. True too where there is no attempt to count.
 */
export async function takeSeat(
  deps: Pick<CallsDeps, "database" | "clock">,
  { organizationId, campaignId, callId }: Pick<OpenedCall, "organizationId" | "campaignId" | "callId">,
): Promise<boolean> {
  if (campaignId === null) return true;
  return deps.database.transaction(async (transaction) => {
    await transaction.query({ ...sql.lockSeats, values: [organizationId, campaignId] });
    // A statement of its own: it sees what those before have stored.
    const [taken] = await transaction.query<{ seated: boolean }>({
      ...sql.takeSeat,
      values: [organizationId, campaignId, callId, timestamp(deps.clock.now())],
    });
    return taken?.seated ?? true;
  });
}
