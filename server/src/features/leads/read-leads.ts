import type { Database, Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { Lead, LeadSummary } from "./leads.schema.ts";
import * as sql from "./leads.sql.ts";
import { type LeadRow, type LeadSummaryRow, presentLead, presentSummary } from "./present-lead.ts";
import { requireCampaign } from "./require-campaign.ts";

/** @returns null when the organization has no such lead */
export async function findLead(on: Queryable, organizationId: string, id: string): Promise<Lead | null> {
  const [row] = await on.query<LeadRow>({ ...sql.readLead, values: [organizationId, id] });
  return row ? presentLead(row) : null;
}

/** @param phoneNumber E.164 @returns null when the organization has no lead with it */
export async function findLeadByNumber(
  on: Queryable,
  organizationId: string,
  phoneNumber: string,
): Promise<Lead | null> {
  const [row] = await on.query<LeadRow>({ ...sql.readLeadByNumber, values: [organizationId, phoneNumber] });
  return row ? presentLead(row) : null;
}

/** @throws DomainError not_found */
export async function readLead(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<Lead> {
  const lead = await findLead(deps.database, organizationId, id);
  if (!lead) throw new DomainError("not_found", "There is no such lead.");
  return lead;
}

/** Newest first. @throws DomainError campaign_not_found when the filter names one that isn't the organization's */
export async function listLeads(
  deps: { database: Database },
  organizationId: string,
  filter: sql.LeadFilter,
  page: Page,
): Promise<LeadSummary[]> {
  const rows = await deps.database.query<LeadSummaryRow>(
    sql.listLeads(organizationId, filter, page.limit, page.offset),
  );
  // Only an empty page leaves the question open, so that pages with leads cost one statement.
  if (rows.length === 0 && filter.campaignId !== undefined) {
    await requireCampaign(deps, organizationId, filter.campaignId);
  }
  return rows.map(presentSummary);
}
