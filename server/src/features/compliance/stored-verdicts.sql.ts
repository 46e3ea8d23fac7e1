import type { Statement } from "../../database/database.ts";

const columns = `verdict.id, verdict.campaign_id, verdict.lead_id, verdict.call_id, verdict.allowed, verdict.reason, verdict.rule_id,
  verdict.rule_version, verdict.citation, verdict.zones, verdict.states, verdict.decided_at, verdict.next_allowed_at`;

/** Newest first. */
export function listVerdicts(
  organizationId: string,
  campaignId: string,
  leadId: string | undefined,
  limit: number,
  offset: number,
): Statement {
  const filter = leadId === undefined ? "" : "AND lead_id = $5";
  return {
    name: leadId === undefined ? "verdicts-list" : "verdicts-list-lead",
    text: `
      SELECT ${columns} FROM dial_verdicts AS verdict
      WHERE organization_id = $1 AND campaign_id = $2 ${filter} ORDER BY id DESC LIMIT $3 OFFSET $4`,
    values: [organizationId, campaignId, limit, offset, ...(leadId === undefined ? [] : [leadId])],
  };
}

/** $1 organization, $2 call */
export const readVerdictOfCall = {
  name: "verdict-of-call",
  text: `
    SELECT ${columns} FROM dial_attempts AS attempt
    JOIN dial_verdicts AS verdict
      ON verdict.organization_id = attempt.organization_id AND verdict.id = attempt.verdict_id
    WHERE attempt.organization_id = $1 AND attempt.id = $2`,
};
