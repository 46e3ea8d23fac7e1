import type { Clock } from "../../clock.ts";
import type { Queryable } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { listNumberAsDnc } from "../dnc/index.ts";
import { markDoNotCall } from "../leads/index.ts";

/** Code points; the rest stands in the transcript, or with the text. */
const MOST_EVIDENCE = 1_000;

/**
 * Somebody asked not to be called again: the number goes on the do-not-call list with the evidence, and the leads concerned
 * become `do_not_call`, in the caller's transaction.
 * @param input `phoneNumber` E.164; `evidence` what was said, keyed or written; `leadId` the lead that is known, or null
 * @returns the ids of the leads concerned
 */
export async function recordOptOut(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  input: {
    organizationId: string;
    phoneNumber: string;
    leadId: string | null;
    source: "call" | "text";
    /** The id of the call or the text. */
    sourceId: string;
    evidence: string;
  },
): Promise<string[]> {
  const { organizationId, phoneNumber, leadId, source, sourceId, evidence } = input;
  await listNumberAsDnc(deps, transaction, {
    organizationId,
    phoneNumber,
    reason: Array.from(evidence).slice(0, MOST_EVIDENCE).join(""),
    source,
    actor: `${source}:${sourceId}`,
  });
  return markDoNotCall(transaction, { organizationId, leadId, phoneNumber, at: deps.clock.now() });
}
