import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import type { AttachedLeads, LeadsAttach } from "./attach-leads.schema.ts";
import * as sql from "./attach-leads.sql.ts";
import { readCampaign } from "./read-campaigns.ts";

type AttachDeps = { database: Database; clock: Clock; newId: NewId; campaignsChanged(): void };

/** A batch holds its leads' locks for some ten milliseconds. */
const LEADS_PER_BATCH = 500;
/** What one call looks at, within seconds. */
const BATCHES_PER_CALL = 20;

interface Batch {
  looked_at: number;
  last_id?: string | null;
  attached: number;
  to_dial: number;
}

/**
 * Puts leads into a campaign: those named, all of them or none, or those that a filter finds, batch by batch. Leads of another
 * campaign leave it. Tells no subscriber: it is no change by the API's user.
 * @returns `after` when there is more to look at than one call does
 * @throws DomainError not_found, conflict (the campaign is over), lead_not_found, invalid_request
 */
export async function attachLeads(
  deps: AttachDeps,
  input: { organizationId: string; id: string; actor: string; body: LeadsAttach },
): Promise<AttachedLeads> {
  const { body } = input;
  await requireOpenCampaign(deps, input);
  const result = body.lead_ids
    ? await attachNamed(deps, input, body.lead_ids)
    : await attachFiltered(deps, input);
  if (result.attached === 0) return result;
  deps.campaignsChanged();
  await deps.database.transaction((transaction) =>
    recordAudit(deps, transaction, {
      organizationId: input.organizationId,
      actor: input.actor,
      action: "campaign.leads_attached",
      subjectType: "campaign",
      subjectId: input.id,
      details: { attached: result.attached, ...(body.filter ? { filter: body.filter } : {}) },
    }),
  );
  return result;
}

/** Refuses a body that doesn't say which leads in one way. @throws DomainError invalid_request */
export function checkSelection({ lead_ids, filter, after }: LeadsAttach): void {
  if ((lead_ids === undefined) === (filter === undefined))
    throw new DomainError("invalid_request", "Name the leads by either lead_ids or filter.");
  if (lead_ids !== undefined && after !== undefined)
    throw new DomainError("invalid_request", "after goes with filter.");
}

/** @throws DomainError not_found, conflict */
export async function requireOpenCampaign(
  deps: { database: Database },
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  const { status } = await readCampaign(deps, organizationId, id);
  if (status !== "completed" && status !== "cancelled") return;
  throw new DomainError("conflict", `The campaign is ${status}: it would never dial them.`);
}

async function attachNamed(
  deps: AttachDeps,
  { organizationId, id }: { organizationId: string; id: string },
  leadIds: readonly string[],
): Promise<AttachedLeads> {
  return deps.database.transaction(async (transaction) => {
    const [done] = await transaction.query<Batch>({
      ...sql.attachNamed,
      values: [organizationId, id, timestamp(deps.clock.now()), leadIds],
    });
    const { looked_at, attached, to_dial } = done!;
    if (looked_at < new Set(leadIds.map((leadId) => leadId.toLowerCase())).size) {
      throw new DomainError("lead_not_found", "Not all of lead_ids are leads of this organization.");
    }
    return { attached, to_dial, after: null };
  });
}

async function attachFiltered(
  deps: AttachDeps,
  { organizationId, id, body }: { organizationId: string; id: string; body: LeadsAttach },
): Promise<AttachedLeads> {
  const filter = body.filter!;
  const result: AttachedLeads = { attached: 0, to_dial: 0, after: body.after ?? null };
  for (let batch = 0; batch < BATCHES_PER_CALL; batch++) {
    const [done] = await deps.database.query<Batch>({
      ...sql.attachBatch,
      values: [
        ...[organizationId, id, timestamp(deps.clock.now()), result.after, LEADS_PER_BATCH],
        ...[filter.status ?? null, filter.source_tag ?? null],
        ...[filter.campaign_id !== undefined, filter.campaign_id ?? null, filter.consented === true],
      ],
    });
    const { looked_at, last_id, attached, to_dial } = done!;
    result.attached += attached;
    result.to_dial += to_dial;
    result.after = last_id ?? null;
    if (looked_at < LEADS_PER_BATCH) return { ...result, after: null };
  }
  return result;
}
