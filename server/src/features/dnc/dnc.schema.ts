import { type Static, Type } from "typebox";
import { Instant, nullable, pageOf, pageQuery } from "../../http/schema.ts";

const phoneNumber = Type.String({
  format: "phone-number",
  description: "10 to 15 digits in any format, without an extension; 10 digits are taken as a US number",
  "x-error": "invalid_phone_number",
});

const entryFields = {
  phone_number: Type.String({ description: "E.164" }),
  reason: nullable(Type.String()),
  source: Type.String({ description: "Open set: `operator`, `import`, `call`, `text`" }),
  added_by: Type.String({ description: "Who added it" }),
  created_at: Instant,
};

export const DncEntry = Type.Object(entryFields, { "x-name": "DncEntry" });
export type DncEntry = Static<typeof DncEntry>;

export const DncPage = pageOf(DncEntry);
export const DncListQuery = Type.Object(pageQuery);

export const DncAdd = Type.Object(
  {
    phone_number: phoneNumber,
    reason: Type.Optional(nullable(Type.String({ maxLength: 500, description: "up to 500 characters" }))),
  },
  { additionalProperties: false, "x-name": "DncAdd" },
);
export type DncAdd = Static<typeof DncAdd>;

export const DncCheckQuery = Type.Object({ phone_number: phoneNumber });

export const DncCheck = Type.Object(
  {
    phone_number: Type.String({ description: "E.164" }),
    listed: Type.Boolean(),
    entry: nullable(Type.Object(entryFields)),
  },
  { "x-name": "DncCheck" },
);
export type DncCheck = Static<typeof DncCheck>;

export const DncNumber = phoneNumber;

export const DncRemoveQuery = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 500, description: "Why; up to 500 characters" })),
});

export const DncRemoved = Type.Object(
  {
    id: Type.String({ description: "The number, which identifies the entry" }),
    phone_number: Type.String(),
    deleted: Type.Literal(true),
  },
  { "x-name": "DncRemoved" },
);
export type DncRemoved = Static<typeof DncRemoved>;

export const DncImport = Type.Object(
  {
    csv: Type.String({
      description:
        "CSV text, 1 to 5,000,000 bytes in UTF-8: a column `phone_number` (or `phone`, `number`) and, if there is one, `reason`; or numbers alone, without a header row",
      "x-error": "csv_required",
    }),
    reason: Type.Optional(
      nullable(Type.String({ maxLength: 500, description: "For rows without one of their own" })),
    ),
  },
  { additionalProperties: false, "x-name": "DncImport" },
);

export const DncImported = Type.Object(
  {
    total: Type.Integer({ description: "Rows read" }),
    added: Type.Integer({ description: "Numbers that are on the list by this import" }),
    listed: Type.Integer({ description: "Rows whose number was on the list: it keeps its first entry" }),
    failed: Type.Integer({ description: "Rows without a valid number" }),
    errors: Type.Array(
      Type.Object({
        row_number: Type.Integer({ description: "1 is the first row of numbers" }),
        code: Type.String({ description: "`invalid_or_missing_phone`" }),
      }),
      { description: "The first 100 rows that failed" },
    ),
  },
  { "x-name": "DncImported" },
);
export type DncImported = Static<typeof DncImported>;
