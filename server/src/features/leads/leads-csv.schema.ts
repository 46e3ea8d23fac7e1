import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { LEAD_COLUMNS } from "./parsing/index.ts";

/** A CSV of 5,000,000 bytes grows when it is written as a JSON string. */
export const CSV_BODY_LIMIT = 12 * 1024 * 1024;

/** An object of strings by any key. Not `Type.Record`: its pattern would lose keys with a line break in them. */
function textByName(options: Record<string, unknown>) {
  return Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    ...options,
  });
}

const csv = Type.String({
  description: "CSV text with a header row, 1 to 5,000,000 bytes in UTF-8",
  "x-error": "csv_required",
});

export const CsvText = Type.Object({ csv }, { additionalProperties: false, "x-name": "CsvText" });

export const CsvInspection = Type.Object(
  {
    total_rows: Type.Integer(),
    headers: Type.Array(Type.String()),
    suggested_mapping: textByName({
      description: "Canonical column to header; may be sent as `mapping` to the bulk import",
    }),
    unmapped: Type.Array(Type.String(), {
      description: "Headers that match nothing; ignored unless mapped by hand",
    }),
    missing_required: Type.Array(Type.String(), {
      description: "Required canonical columns without a match",
    }),
    sample_rows: Type.Array(textByName({}), { description: "The first five rows, by header" }),
  },
  { "x-name": "CsvInspection" },
);

export const LeadImport = Type.Object(
  {
    csv,
    mapping: Type.Optional(
      textByName({
        propertyNames: { enum: [...LEAD_COLUMNS] },
        description:
          "Canonical column to header of the file. Without it the headers must be canonical names; aliases don't apply",
      }),
    ),
    campaign_id: Type.Optional(Uuid),
  },
  { additionalProperties: false, "x-name": "LeadImport" },
);
export type LeadImport = Static<typeof LeadImport>;

export const ImportSummary = Type.Object(
  {
    job_id: Uuid,
    total: Type.Integer({ description: "Rows processed" }),
    inserted: Type.Integer({ description: "New leads" }),
    updated: Type.Integer({ description: "Rows that matched a lead by its number" }),
    skipped: Type.Integer({ description: "Always 0" }),
    failed: Type.Integer({ description: "Rows rejected: the number is missing or invalid" }),
  },
  { "x-name": "ImportSummary" },
);
export type ImportSummary = Static<typeof ImportSummary>;

export const ExportQuery = Type.Object({
  campaign_id: Type.Optional(Uuid),
});

const jobFields = {
  id: Uuid,
  campaign_id: nullable(Uuid),
  state: oneOf(["running", "finished", "failed"], {
    description:
      "`running` while rows are written; `failed` when the import broke off, or its process died: then at its next start with the built-in database, else within two hours. The counts are those of the rows in place",
  }),
  total: Type.Integer(),
  inserted: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  failed: Type.Integer(),
  warning_count: Type.Integer({ description: "Values left out of rows that went in" }),
  created_at: Instant,
  finished_at: nullable(Instant),
};

export const ImportJob = Type.Object(jobFields, { "x-name": "ImportJob" });
export type ImportJob = Static<typeof ImportJob>;
export const ImportJobPage = pageOf(ImportJob);

const ImportJobRow = Type.Object(
  {
    row_number: Type.Integer({ description: "1 is the first row below the header; blank rows don't count" }),
    code: Type.String({
      description: "`invalid_or_missing_phone`, `missing_required:<column>`, `invalid_value:<column>`",
    }),
    column: nullable(Type.String()),
    raw_row: Type.String({ description: "The row as it stands in the file" }),
  },
  { "x-name": "ImportJobRow" },
);
export type ImportJobRow = Static<typeof ImportJobRow>;

export const ImportJobWithRows = Type.Object(
  {
    ...jobFields,
    errors: Type.Array(ImportJobRow, { description: "Rows that did not go in, in file order" }),
    warnings: Type.Array(ImportJobRow, {
      description: "Values that broke their column's rule and were left out, in file order",
    }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  },
  { "x-name": "ImportJobWithRows" },
);
export type ImportJobWithRows = Static<typeof ImportJobWithRows>;

export const ImportListQuery = Type.Object(pageQuery);

export const ImportRowsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 1000,
      "x-clamp": 1000,
      description: "Of errors and of warnings each; larger values are taken as 1000",
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
