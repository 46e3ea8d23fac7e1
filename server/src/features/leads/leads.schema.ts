import { type Static, Type } from "typebox";
import { atLeastOneField, Instant, nullable, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

const summaryFields = {
  id: Uuid,
  first_name: nullable(Type.String()),
  last_name: nullable(Type.String()),
  full_name: Type.String({
    description: "`First Last`, or `Lead <last four digits>` when no name was given",
  }),
  phone_number: Type.String({ description: "E.164. Identifies the lead in its organization" }),
  email_address: nullable(Type.String()),
  status: Type.String({ description: "Open set: `new` until dialed, then the outcome of the last attempt" }),
  campaign_id: nullable(Uuid),
  consent_source: nullable(Type.String()),
  consented_at: nullable(Instant),
  created_at: Instant,
  updated_at: nullable(Instant),
};

export const LeadSummary = Type.Object(summaryFields, { "x-name": "LeadSummary" });
export type LeadSummary = Static<typeof LeadSummary>;

export const Lead = Type.Object(
  {
    ...summaryFields,
    credit_score: nullable(Type.Integer()),
    annual_income: nullable(Type.Number()),
    notes: nullable(Type.String()),
    source_tag: Type.String({
      description: "`api:standalone`, `api:campaign:<campaign_id>`, `csv:<job_id>` or an app's tag",
    }),
  },
  { "x-name": "Lead" },
);
export type Lead = Static<typeof Lead>;

export const LeadPage = pageOf(LeadSummary);

/** The fields that create and patch share, with the contract's bounds. Lengths count code points. */
const writableFields = {
  first_name: Type.Optional(nullable(Type.String({ maxLength: 120 }))),
  last_name: Type.Optional(nullable(Type.String({ maxLength: 120 }))),
  email_address: Type.Optional(
    nullable(
      Type.String({
        format: "email-address",
        description: "an e-mail address; stored trimmed and lower-cased",
      }),
    ),
  ),
  status: Type.Optional(Type.String({ maxLength: 64 })),
  campaign_id: Type.Optional(nullable(Uuid)),
  consent_source: Type.Optional(Type.String({ maxLength: 64 })),
  consented_at: Type.Optional(
    nullable(
      Type.String({
        format: "iso-instant",
        description: "an ISO 8601 date or date-time; without an offset it is UTC",
      }),
    ),
  ),
  credit_score: Type.Optional(nullable(Type.Integer({ minimum: 300, maximum: 850 }))),
  annual_income: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000_000 }))),
  notes: Type.Optional(nullable(Type.String({ maxLength: 4000 }))),
};

export const LeadCreate = Type.Object(
  {
    phone_number: Type.String({
      format: "phone-number",
      description: "10 to 15 digits in any format, without an extension; 10 digits are taken as a US number",
      "x-error": "invalid_phone_number",
    }),
    ...writableFields,
  },
  { additionalProperties: false, "x-name": "LeadCreate" },
);
export type LeadCreate = Static<typeof LeadCreate>;

export const LeadPatch = Type.Object(writableFields, {
  ...atLeastOneField,
  additionalProperties: false,
  "x-name": "LeadPatch",
  "x-immutable": { phone_number: "phone_number_immutable" },
});
export type LeadPatch = Static<typeof LeadPatch>;

export const LeadListQuery = Type.Object({
  ...pageQuery,
  campaign_id: Type.Optional(Uuid),
  phone_number: Type.Optional(
    Type.String({
      format: "phone-number",
      description: "In any format; canonicalised before matching",
      "x-error": "invalid_phone_number",
    }),
  ),
  status: Type.Optional(Type.String()),
});
export type LeadListQuery = Static<typeof LeadListQuery>;
