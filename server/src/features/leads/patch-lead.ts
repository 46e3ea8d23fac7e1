import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { parseIsoDateTime } from "../../iso-date-time.ts";
import { sentMask } from "./lead-writer.ts";
import type { Lead, LeadPatch } from "./leads.schema.ts";
import * as sql from "./leads.sql.ts";
import { normaliseEmail } from "./parsing/index.ts";
import { type LeadRow, presentLead } from "./present-lead.ts";

/**
 * Changes the fields sent and reports them: `lead.disposition_changed` when the status is among them, else `lead.updated`.
 * @throws DomainError not_found, campaign_not_found
 */
export async function patchLead(
  deps: OutboxDeps & { database: Database },
  input: { organizationId: string; id: string; body: LeadPatch },
): Promise<Lead> {
  const { organizationId, id, body } = input;
  const changes = Object.keys(body);
  const type = changes.includes("status") ? "lead.disposition_changed" : "lead.updated";

  const [row] = await deps.database.query<LeadRow & { queued: number }>({
    ...sql.patchLead,
    values: [
      organizationId,
      id,
      body.first_name,
      body.last_name,
      body.email_address ? normaliseEmail(body.email_address) : null,
      body.campaign_id,
      body.consented_at ? parseIsoDateTime(body.consented_at)?.toISOString() : null,
      body.credit_score,
      body.annual_income,
      body.notes,
      body.status,
      body.consent_source,
      sentMask(body),
      timestamp(deps.clock.now()),
      deps.newId(),
      type,
      JSON.stringify({ lead_id: id.toLowerCase(), changes, source: "public_api" }),
    ],
  });
  if (!row) throw new DomainError("not_found", "There is no such lead.");
  if (!row.id)
    throw new DomainError("campaign_not_found", "campaign_id is not a campaign of this organization.");
  if (row.queued > 0) deps.deliveriesQueued();
  return presentLead(row);
}
