import { createBatcher } from "../../database/batcher.ts";
import { type Database, type Queryable, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { parseIsoDateTime } from "../../iso-date-time.ts";
import type { LeadCreate } from "./leads.schema.ts";
import * as sql from "./leads.sql.ts";
import { canonicalPhoneNumber, normaliseEmail } from "./parsing/index.ts";
import type { LeadRow } from "./present-lead.ts";

/** A lead to insert, or to lay over the one that has its number. Fields are canonical. */
export interface LeadUpsert {
  organizationId: string;
  phoneNumber: string;
  firstName: string | null;
  lastName: string | null;
  emailAddress: string | null;
  status: string;
  campaignId: string | null;
  consentSource: string;
  consentedAt: string | null;
  creditScore: number | null;
  annualIncome: number | null;
  notes: string | null;
  sent: number;
}

export interface UpsertedLead {
  row: LeadRow;
  inserted: boolean;
}

export interface LeadWriter {
  /** Together with other requests' leads when there are any. @throws DomainError campaign_not_found */
  write(lead: LeadUpsert): Promise<UpsertedLead>;
  /** In a transaction of the caller's. */
  writeIn(transaction: Queryable, lead: LeadUpsert): Promise<UpsertedLead & { queued: boolean }>;
}

const LARGEST_BATCH = 64;

type Row = LeadRow & {
  version: number;
  queued: number;
  input_organization_id: string;
  input_phone_number: string;
};

export function createLeadWriter(deps: OutboxDeps & { database: Database }): LeadWriter {
  const upsert = async (on: Queryable, leads: readonly LeadUpsert[]): Promise<(Row | null)[]> => {
    const rows = await on.query<Row>({
      ...sql.upsertLeads,
      values: [...columnsOf(leads, deps), timestamp(deps.clock.now())],
    });
    const byKey = new Map(rows.map((row) => [`${row.input_organization_id} ${row.input_phone_number}`, row]));
    return leads.map((lead) => {
      const row = byKey.get(`${lead.organizationId} ${lead.phoneNumber}`);
      return row?.id ? row : null;
    });
  };

  const batched = createBatcher<LeadUpsert, Row | null>({
    maxSize: LARGEST_BATCH,
    keyOf: (lead) => `${lead.organizationId} ${lead.phoneNumber}`,
    run: async (leads) => {
      const rows = await upsert(deps.database, leads);
      if (rows.some((row) => row !== null && row.queued > 0)) deps.deliveriesQueued();
      return rows;
    },
  });

  return {
    write: async (lead) => upserted(await batched(lead)),
    async writeIn(transaction, lead) {
      const [row] = await upsert(transaction, [lead]);
      return { ...upserted(row ?? null), queued: row!.queued > 0 };
    },
  };
}

function upserted(row: Row | null): UpsertedLead {
  if (!row)
    throw new DomainError("campaign_not_found", "campaign_id is not a campaign of this organization.");
  return { row, inserted: row.version === 1 };
}

/** A validated create body in canonical form. @throws DomainError invalid_phone_number */
export function leadUpsertFrom(organizationId: string, body: LeadCreate): LeadUpsert {
  const phoneNumber = canonicalPhoneNumber(body.phone_number);
  if (phoneNumber === null)
    throw new DomainError("invalid_phone_number", "phone_number must be 10 to 15 digits.");
  return {
    organizationId,
    phoneNumber,
    firstName: body.first_name ?? null,
    lastName: body.last_name ?? null,
    emailAddress: body.email_address ? normaliseEmail(body.email_address) : null,
    status: body.status ?? "new",
    campaignId: body.campaign_id ?? null,
    consentSource: body.consent_source ?? "public_api",
    consentedAt: body.consented_at ? (parseIsoDateTime(body.consented_at)?.toISOString() ?? null) : null,
    creditScore: body.credit_score ?? null,
    annualIncome: body.annual_income ?? null,
    notes: body.notes ?? null,
    sent: sentMask(body),
  };
}

/** Which fields a body holds, as `sentBit` counts them. A field that is null was sent. */
export function sentMask(body: object): number {
  let mask = 0;
  for (const [field, bit] of Object.entries(sql.sentBit)) if (Object.hasOwn(body, field)) mask |= bit;
  return mask;
}

function columnsOf(leads: readonly LeadUpsert[], deps: OutboxDeps): unknown[][] {
  return [
    leads.map((lead) => lead.organizationId),
    leads.map(() => deps.newId()),
    leads.map(() => deps.newId()),
    leads.map((lead) => lead.phoneNumber),
    leads.map((lead) => lead.firstName),
    leads.map((lead) => lead.lastName),
    leads.map((lead) => lead.emailAddress),
    leads.map((lead) => lead.status),
    leads.map((lead) => lead.campaignId),
    leads.map((lead) => lead.consentSource),
    leads.map((lead) => lead.consentedAt),
    leads.map((lead) => lead.creditScore),
    leads.map((lead) => lead.annualIncome),
    leads.map((lead) => lead.notes),
    leads.map((lead) => lead.sent),
  ];
}
