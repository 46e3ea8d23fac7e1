import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

const ROLES = ["owner", "admin", "member"] as const;

const role = oneOf(ROLES, { description: "Owners and admins create keys in the app" });
const name = nullable(
  Type.String({
    minLength: 1,
    maxLength: 120,
    pattern: "\\S",
    description: "1 to 120 characters, not all of them spaces",
  }),
);

export const Member = Type.Object(
  {
    id: Uuid,
    email_address: Type.String({ description: "Identifies the member in its organization" }),
    name: nullable(Type.String()),
    role,
    created_at: Instant,
    updated_at: Instant,
  },
  { "x-name": "Member" },
);
export type Member = Static<typeof Member>;

export const MemberPage = pageOf(Member);
export const MemberListQuery = Type.Object(pageQuery);

export const MemberAdd = Type.Object(
  {
    email_address: Type.String({
      format: "email-address",
      maxLength: 320,
      description: "an e-mail address; stored trimmed and lower-cased",
    }),
    name: Type.Optional(name),
    role,
  },
  { additionalProperties: false, "x-name": "MemberAdd" },
);
export type MemberAdd = Static<typeof MemberAdd>;

export const MemberPatch = Type.Object(
  { name: Type.Optional(name), role: Type.Optional(role) },
  {
    additionalProperties: false,
    "x-name": "MemberPatch",
  },
);
export type MemberPatch = Static<typeof MemberPatch>;
