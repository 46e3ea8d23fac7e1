import type { Lead, LeadSummary } from "./leads.schema.ts";

/** A row of the leads table, without what lists don't show. Timestamps are ISO 8601 text. */
export type LeadSummaryRow = Omit<LeadSummary, "full_name">;
export type LeadRow = Omit<Lead, "full_name">;

export function presentSummary(row: LeadSummaryRow): LeadSummary {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullName(row),
    phone_number: row.phone_number,
    email_address: row.email_address,
    status: row.status,
    campaign_id: row.campaign_id,
    consent_source: row.consent_source,
    consented_at: row.consented_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Written out rather than spread over a summary: this runs for every lead that is read or written. */
export function presentLead(row: LeadRow): Lead {
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullName(row),
    phone_number: row.phone_number,
    email_address: row.email_address,
    status: row.status,
    campaign_id: row.campaign_id,
    consent_source: row.consent_source,
    consented_at: row.consented_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    credit_score: row.credit_score,
    annual_income: row.annual_income,
    notes: row.notes,
    source_tag: row.source_tag,
  };
}

/** What there is of first and last name, joined by one space; else the number's last four digits. */
function fullName(lead: Pick<Lead, "first_name" | "last_name" | "phone_number">): string {
  const name = [lead.first_name, lead.last_name]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(" ");
  return name || `Lead ${lead.phone_number.slice(-4)}`;
}
