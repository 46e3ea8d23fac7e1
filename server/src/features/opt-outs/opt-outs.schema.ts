import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

export const OptOutTest = Type.Object(
  {
    text: Type.String({ maxLength: 100_000, description: "up to 100,000 characters" }),
    channel: Type.Optional(oneOf(["call", "text"], { default: "call" })),
    speaker: Type.Optional(oneOf(["user", "agent", "machine"], { default: "user" })),
  },
  { additionalProperties: false, "x-name": "OptOutTest" },
);

const reading = {
  opt_out: Type.Boolean(),
  matched: nullable(
    Type.String({
      description:
        "The words it was told by, in lower case without accents and apostrophes; null when there is none",
    }),
  ),
};
export const OptOutReading = Type.Object(reading, { "x-name": "OptOutReading" });

export const TextReceive = Type.Object(
  {
    from_number: Type.String({
      format: "phone-number",
      description: "Who sent it: 10 to 15 digits in any format; 10 digits are taken as a US number",
      "x-error": "invalid_phone_number",
    }),
    to_number: Type.String({
      minLength: 1,
      maxLength: 32,
      description: "The number it was sent to, or a short code",
    }),
    body: Type.String({ maxLength: 10_000, description: "up to 10,000 characters; may be empty" }),
  },
  { additionalProperties: false, "x-name": "TextReceive" },
);

const textFields = {
  id: Uuid,
  from_number: Type.String({ description: "E.164" }),
  to_number: Type.String({ description: "E.164, or a short code as it was sent" }),
  body: Type.String(),
  ...reading,
  received_at: Instant,
};

export const InboundText = Type.Object(textFields, { "x-name": "InboundText" });
export type InboundText = Static<typeof InboundText>;
export const InboundTextPage = pageOf(InboundText);
export const InboundTextListQuery = Type.Object(pageQuery);

export const ReceivedText = Type.Object(
  {
    ...textFields,
    lead_ids: Type.Array(Uuid, { description: "Leads that became `do_not_call` by it" }),
  },
  { "x-name": "ReceivedText" },
);
export type ReceivedText = Static<typeof ReceivedText>;
