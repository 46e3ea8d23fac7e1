import { Type } from "typebox";
import { Instant, nullable, pageOf, Uuid } from "../../http/schema.ts";

const person = {
  first_name: Type.Optional(nullable(Type.String())),
  last_name: Type.Optional(nullable(Type.String())),
  email_address: Type.Optional(nullable(Type.String())),
  company: Type.Optional(nullable(Type.String())),
  role: Type.Optional(nullable(Type.String())),
};

export const Contact = Type.Object(
  { id: Uuid, phone_number: Type.String(), ...person, created_at: Instant },
  { "x-name": "Contact" },
);
export const ContactPage = pageOf(Contact);
export const ContactCreate = Type.Object(
  { phone_number: Type.String({ description: "E.164" }), ...person },
  { additionalProperties: false, "x-name": "ContactCreate" },
);

/** The contract says nothing of a deal but that it has a status and a stage. */
export const Deal = Type.Object(
  { id: Uuid, status: Type.Optional(Type.String()), stage: Type.Optional(Type.String()) },
  { "x-name": "Deal" },
);
export const DealPage = pageOf(Deal);
export const DealPatch = Type.Object(
  { status: Type.Optional(Type.String()), stage: Type.Optional(Type.String()) },
  { additionalProperties: false, "x-name": "DealPatch" },
);
