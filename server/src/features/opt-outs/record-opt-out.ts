import type { Clock } from "../../clock.ts";
import type { Queryable } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { listNumberAsDnc } from "../dnc/index.ts";
import { markDoNotCall } from "../leads/index.ts";

/**
 * Somebody asked not to be called again: the number goes on the do-not-call list with the evidence, and the leads concerned
 * become `do_not_call`, in the caller's transaction.
 * @param input `phoneNumber` E.164; `evidence` what was said or keyed; `leadId` the lead that is known, or null
 */
export async function recordOptOut(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  input: {
    organizationId: string;
    phoneNumber: string;
    leadId: string | null;
    source: "call";
    /** The id of the call. */
    sourceId: string;
    evidence: string;
  },
): Promise<void> {
  const { organizationId, phoneNumber, leadId, source, sourceId, evidence } = input;
  await listNumberAsDnc(deps, transaction, {
    organizationId,
    phoneNumber,
    reason: evidence,
    source,
    actor: `${source}:${sourceId}`,
  });
  await markDoNotCall(transaction, { organizationId, leadId, phoneNumber, at: deps.clock.now() });
}
