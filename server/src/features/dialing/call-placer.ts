import { DomainError } from "../../domain-error.ts";
import { type CallsDeps, startCall } from "../calls/index.ts";
import * as sql from "./attempts.sql.ts";
import { markDialed } from "./mark-dialed.ts";
import type { Placer } from "./placer.ts";

/** Places the calls of campaigns as those of the API are placed, with the campaign's agent. */
export function createCallPlacer(deps: CallsDeps): Placer {
  return {
    async freeLines(organizationId) {
      const carriers = await deps.database.query<{ carrier: string }>({
        ...sql.readCarriers,
        values: [organizationId],
      });
      // Without a number, the verdict tells what is wrong.
      if (carriers.length === 0) return Number.POSITIVE_INFINITY;
      const room = deps.voice?.room() ?? Number.POSITIVE_INFINITY;
      let free = 0;
      for (const { carrier } of carriers)
        free +=
          (await deps.voice?.carriers.get(carrier)?.freeLines?.(organizationId)) ?? Number.POSITIVE_INFINITY;
      return Math.min(free, room);
    },
    async place(attempt) {
      const { organizationId, campaignId, id, agentId, leadId, phoneNumber } = attempt;
      try {
        await startCall(deps, {
          organizationId,
          agentId,
          body: { medium: "phone", lead_id: leadId, to_number: phoneNumber },
          campaign: {
            id: campaignId,
            callId: id,
            mayDial: (transaction) => markDialed(deps, transaction, attempt),
          },
        });
        return null;
      } catch (error) {
        if (error instanceof DomainError) {
          // What isn't a refusal but a fault is known to nobody yet.
          if (error.cause !== undefined)
            deps.logger.error({ err: error.cause, call_id: id }, "a campaign's call couldn't be started");
          return error.code;
        }
        throw error;
      }
    },
  };
}
