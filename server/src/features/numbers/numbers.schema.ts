import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

/** What can carry a number's calls. Which of them a process can reach is decided where calls are placed. */
export const CARRIER_NAMES = ["simulated", "sip", "twilio", "telnyx"] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

export const OwnedNumber = Type.Object(
  {
    phone_number: Type.String({ description: "E.164" }),
    carrier: oneOf(CARRIER_NAMES),
    agent_id: nullable(
      Type.String({ format: "uuid", description: "The agent that answers calls to the number" }),
    ),
    last_used_at: nullable(Instant),
    created_at: Instant,
  },
  { "x-name": "PhoneNumber" },
);
export type OwnedNumber = Static<typeof OwnedNumber>;

export const NumberPage = pageOf(OwnedNumber);
const phoneNumber = Type.String({
  format: "phone-number",
  description: "10 to 15 digits in any format, without an extension; 10 digits are taken as a US number",
  "x-error": "invalid_phone_number",
});

export const NumberAdd = Type.Object(
  {
    phone_number: phoneNumber,
    carrier: Type.Optional(
      oneOf(CARRIER_NAMES, { description: "what carries its calls; default simulated" }),
    ),
  },
  { additionalProperties: false, "x-name": "PhoneNumberAdd" },
);
export type NumberAdd = Static<typeof NumberAdd>;

export const NumberListQuery = Type.Object({ ...pageQuery, phone_number: Type.Optional(phoneNumber) });

export const NumberParams = Type.Object({ organization_id: Uuid, phone_number: phoneNumber });

export const RemovedNumber = Type.Object(
  {
    id: Type.String({ description: "The number, which identifies the record" }),
    phone_number: Type.String(),
    deleted: Type.Literal(true),
  },
  { "x-name": "RemovedPhoneNumber" },
);
export type RemovedNumber = Static<typeof RemovedNumber>;
