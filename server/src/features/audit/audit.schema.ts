import { type Static, Type } from "typebox";
import { Instant, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

export const AuditRecord = Type.Object(
  {
    id: Uuid,
    actor: Type.String({ description: "Who did it" }),
    action: Type.String({ description: "`<subject>.<what was done>`, such as `api_key.revoked`" }),
    subject_type: Type.String(),
    subject_id: Type.String(),
    details: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
    created_at: Instant,
  },
  { "x-name": "AuditRecord" },
);
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditPage = pageOf(AuditRecord);

export const AuditListQuery = Type.Object({
  ...pageQuery,
  subject_type: Type.Optional(
    Type.String({ description: "Such as `api_key`, `member`, `wallet`, `dnc_entry`" }),
  ),
  action: Type.Optional(Type.String({ description: "Such as `api_key.rotated`" })),
});
export type AuditListQuery = Static<typeof AuditListQuery>;
