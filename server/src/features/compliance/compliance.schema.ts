import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf } from "../../http/schema.ts";
import { REASONS } from "./call-question.ts";

export const ComplianceQuery = Type.Object({
  phone_number: Type.String({
    format: "phone-number",
    description: "10 to 15 digits in any format, without an extension; 10 digits are taken as a US number",
    "x-error": "invalid_phone_number",
  }),
  at: Type.Optional(
    Type.String({
      format: "iso-instant",
      description: "ISO 8601; default now. What is known now, at that time",
    }),
  ),
});

export const ComplianceCheck = Type.Object(
  {
    phone_number: Type.String({ description: "E.164" }),
    allowed: Type.Boolean(),
    reason: nullable(oneOf(REASONS, { description: "Why not; the first of several" })),
    rule_id: Type.String({ description: "What decided" }),
    rule_version: Type.Integer(),
    citation: Type.String(),
    zones: Type.Array(
      Type.Object({
        timezone: Type.String({ description: "IANA name" }),
        local_time: Type.String({ description: "What clocks show there: YYYY-MM-DDTHH:MM:SS" }),
      }),
      { description: "All that the number may be in; all of them must allow a call" },
    ),
    states: Type.Array(Type.String(), {
      description: "States and provinces that the number may be in, two letters",
    }),
    decided_at: Instant,
    next_allowed_at: nullable(
      Type.String({
        format: "date-time",
        description: "Null when it is allowed, or when waiting doesn't help",
      }),
    ),
  },
  { "x-name": "ComplianceCheck" },
);
export type ComplianceCheck = Static<typeof ComplianceCheck>;
