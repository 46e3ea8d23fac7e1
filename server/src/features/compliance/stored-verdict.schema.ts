import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { REASONS } from "./call-question.ts";

const fields = {
  id: Uuid,
  campaign_id: Uuid,
  lead_id: Uuid,
  call_id: nullable(Type.String({ format: "uuid", description: "Of an allowed one" })),
  allowed: Type.Boolean(),
  reason: nullable(oneOf(REASONS, { description: "Why not; the first of several" })),
  rule_id: Type.String({ description: "What decided" }),
  rule_version: Type.Integer(),
  citation: Type.String(),
  zones: Type.Array(
    Type.Object({
      timezone: Type.String({ description: "IANA name" }),
      local_time: Type.String({ description: "What clocks showed there: YYYY-MM-DDTHH:MM:SS" }),
    }),
    { description: "All that the number might be in" },
  ),
  states: Type.Array(Type.String()),
  decided_at: Instant,
  next_allowed_at: nullable(
    Type.String({
      format: "date-time",
      description: "Null when it was allowed, or when waiting doesn't help",
    }),
  ),
};

/** Why a campaign called a lead, or didn't. */
export const StoredVerdict = Type.Object(fields, { "x-name": "Verdict" });
export type StoredVerdict = Static<typeof StoredVerdict>;
export const StoredVerdictPage = pageOf(StoredVerdict);
/** For records that may have none. */
export const VerdictOrNull = nullable(
  Type.Object(fields, {
    description: "Why the campaign was allowed to place it; null for calls of no campaign",
  }),
);

export const VerdictListQuery = Type.Object({ ...pageQuery, lead_id: Type.Optional(Uuid) });
