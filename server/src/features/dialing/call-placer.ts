import { DomainError } from "../../domain-error.ts";
import { type CallsDeps, startCall } from "../calls/index.ts";
import { markDialed } from "./mark-dialed.ts";
import type { Placer } from "./placer.ts";

/** Places the calls of campaigns as those of the API are placed, with the campaign's agent. */
export function createCallPlacer(deps: CallsDeps): Placer {
  return {
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
