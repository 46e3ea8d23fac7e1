import pg from "pg";

export const EXPORT_HEADER = [
  "first_name",
  "last_name",
  "phone_number",
  "email_address",
  "status",
  "credit_score",
  "annual_income",
  "consent_source",
  "consented_at",
  "created_at",
  "lead_id",
];

/** Timestamps are put into the contract's form by `rewrite-export-row.ts`, which counts on the last three being the last. */
const cells = `first_name, last_name, phone_number, email_address, status, credit_score, annual_income, consent_source,
  consented_at, created_at, id`;

/** Where a page ends: the next one begins behind it. */
export interface ExportPosition {
  createdAt: string;
  id: string;
}

/** COPY takes no parameters, so the values are quoted into it. Oldest first: the index of the newest first, backwards. */
export function copyPage(
  organizationId: string,
  campaignId: string | undefined,
  after: ExportPosition | null,
  rows: number,
): string {
  const quoted = pg.escapeLiteral;
  const where = [`organization_id = ${quoted(organizationId)}`];
  if (campaignId !== undefined) where.push(`campaign_id = ${quoted(campaignId)}`);
  if (after) where.push(`(created_at, id) > (${quoted(after.createdAt)}, ${quoted(after.id)})`);
  return `COPY (SELECT ${cells} FROM leads WHERE ${where.join(" AND ")} ORDER BY created_at, id LIMIT ${rows})
          TO STDOUT (FORMAT csv)`;
}

/** $1 organization, $2 lead. As text: the answer's own milliseconds may be less than what is stored. */
export const readPosition = {
  name: "export-position",
  text: `SELECT created_at::text AS "createdAt", id FROM leads WHERE organization_id = $1 AND id = $2`,
};
