import { type Static, Type } from "typebox";
import { nullable, Uuid } from "../../http/schema.ts";

const MOST_NAMED = 1_000;

const LeadSelection = Type.Object(
  {
    status: Type.Optional(Type.String({ maxLength: 64 })),
    source_tag: Type.Optional(Type.String({ maxLength: 200, description: "such as csv:<job_id>" })),
    campaign_id: Type.Optional(nullable(Uuid)),
    consented: Type.Optional(
      Type.Unsafe<true>({ type: "boolean", const: true, description: "only leads with consented_at" }),
    ),
  },
  { additionalProperties: false, "x-unknown-error": "unknown_field", "x-name": "LeadSelection" },
);

/** Of the private API. */
export const LeadsAttach = Type.Object(
  {
    lead_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: MOST_NAMED,
        uniqueItems: true,
        description: "1 to 1,000 leads",
      }),
    ),
    filter: Type.Optional(LeadSelection),
    after: Type.Optional(
      Type.String({ format: "uuid", description: "with filter: where the last answer ended" }),
    ),
  },
  { additionalProperties: false, "x-name": "LeadsAttach" },
);
export type LeadsAttach = Static<typeof LeadsAttach>;

export const AttachedLeads = Type.Object(
  {
    attached: Type.Integer({ description: "Leads that weren't in the campaign before" }),
    to_dial: Type.Integer({
      description: "Those of them that it will dial: the others' status is neither `new` nor `pending`",
    }),
    after: nullable(
      Type.String({
        format: "uuid",
        description: "Not all leads were looked at yet: send it with the same filter",
      }),
    ),
  },
  { "x-name": "AttachedLeads" },
);
export type AttachedLeads = Static<typeof AttachedLeads>;
