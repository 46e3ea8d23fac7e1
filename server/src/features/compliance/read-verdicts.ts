import type { Database, Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import { findLead } from "../leads/index.ts";
import type { StoredVerdict } from "./stored-verdict.schema.ts";
import * as sql from "./stored-verdicts.sql.ts";

/**
 * The verdicts of a campaign that there is, newest first: one for each attempt, and for refused leads one whenever the answer
 * changed. @throws DomainError lead_not_found when the filter names a lead that isn't the organization's
 */
export async function listVerdicts(
  deps: { database: Database },
  input: { organizationId: string; campaignId: string; leadId: string | undefined },
  page: Page,
): Promise<StoredVerdict[]> {
  const { organizationId, campaignId, leadId } = input;
  const verdicts = await deps.database.query<StoredVerdict>(
    sql.listVerdicts(organizationId, campaignId, leadId, page.limit, page.offset),
  );
  if (verdicts.length === 0 && leadId !== undefined) {
    const lead = await findLead(deps.database, organizationId, leadId);
    if (!lead) throw new DomainError("lead_not_found", "lead_id is not a lead of this organization.");
  }
  return verdicts;
}

/** Why a campaign placed a call; null for calls of no campaign. */
export async function readVerdictOfCall(
  on: Queryable,
  organizationId: string,
  callId: string,
): Promise<StoredVerdict | null> {
  const [verdict] = await on.query<StoredVerdict>({
    ...sql.readVerdictOfCall,
    values: [organizationId, callId],
  });
  return verdict ?? null;
}
