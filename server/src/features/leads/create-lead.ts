import type { Database, Queryable } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { type LeadWriter, leadUpsertFrom } from "./lead-writer.ts";
import type { Lead, LeadCreate } from "./leads.schema.ts";
import { presentLead } from "./present-lead.ts";

export interface CreatedLead {
  lead: Lead;
  /** False when a lead with this number existed: its fields were overwritten by those sent. */
  inserted: boolean;
}

/**
 * Inserts a lead or updates the one with the same number; reports `lead.created` or `lead.updated`.
 * `remember` stores the answer for the request's idempotency key, in the write's own transaction.
 * @throws DomainError invalid_phone_number, campaign_not_found
 */
export async function createLead(
  deps: OutboxDeps & { database: Database; leadWriter: LeadWriter },
  input: { organizationId: string; body: LeadCreate },
  remember?: (transaction: Queryable, status: number, body: unknown) => Promise<void>,
): Promise<CreatedLead> {
  const upsert = leadUpsertFrom(input.organizationId, input.body);
  if (!remember) {
    const { row, inserted } = await deps.leadWriter.write(upsert);
    return { lead: presentLead(row), inserted };
  }
  return deps.database.transaction(async (transaction) => {
    const { row, inserted, queued } = await deps.leadWriter.writeIn(transaction, upsert);
    const lead = presentLead(row);
    await remember(transaction, inserted ? 201 : 200, lead);
    if (queued) transaction.afterCommit(deps.deliveriesQueued);
    return { lead, inserted };
  });
}
