import { canonicalColumn } from "./header-names.ts";
import { LEAD_COLUMNS, type LeadColumn, REQUIRED_COLUMNS } from "./lead-columns.ts";

/**
 * What customers call the columns, best name first. Written with spaces; a header matches in any case and with
 * spaces, `_`, `-`, `.` or nothing between the words. No name may stand under two columns.
 */
export const COLUMN_ALIASES: Readonly<Record<LeadColumn, readonly string[]>> = {
  first_name: ["first name", "first", "given name", "fname", "forename"],
  last_name: ["last name", "last", "surname", "family name", "lname"],
  phone_number: [
    "phone number",
    "phone",
    "mobile",
    "mobile phone",
    "mobile number",
    "cell",
    "cell phone",
    "cell number",
    "telephone",
    "telephone number",
    "tel",
    "number",
    "contact number",
    "primary phone",
  ],
  email_address: ["email address", "email", "e-mail address", "e-mail", "mail"],
  status: ["status", "lead status", "disposition"],
  credit_score: ["credit score", "fico", "fico score", "score"],
  annual_income: ["annual income", "income", "yearly income", "salary"],
  consent_source: ["consent source", "opt in source", "lead source", "source"],
  consented_at: ["consented at", "consent date", "opt in date", "opted in at", "consent timestamp"],
};

const WORD_SEPARATORS = /[\s_.-]+/g;

interface RankedColumn {
  column: LeadColumn;
  rank: number;
}

const COLUMN_BY_ALIAS: ReadonlyMap<string, RankedColumn> = new Map(
  LEAD_COLUMNS.flatMap((column) =>
    COLUMN_ALIASES[column].map((alias, rank) => [aliasKey(alias), { column, rank }] as const),
  ),
);
/** No alias is longer, so a longer header need not be taken apart. */
const LONGEST_HEADER = 100;

export interface MappingSuggestion {
  /** Canonical column to the caller's header, in the order of the canonical columns. */
  suggested_mapping: Partial<Record<LeadColumn, string>>;
  /** The other headers, in file order. */
  unmapped: string[];
  /** Required canonical columns that no header matches. */
  missing_required: LeadColumn[];
}

/**
 * Guesses which header holds which column. A header that is the canonical name wins (as written before in another
 * case), then the better alias, then the header further left.
 */
export function suggestMapping(headers: readonly string[]): MappingSuggestion {
  const best = new Map<LeadColumn, { header: string; rank: number }>();
  for (const header of headers) {
    const match = matchHeader(header);
    if (match === undefined) continue;
    const soFar = best.get(match.column);
    if (soFar === undefined || match.rank < soFar.rank) best.set(match.column, { header, rank: match.rank });
  }
  const suggested: Partial<Record<LeadColumn, string>> = {};
  for (const column of LEAD_COLUMNS) {
    const match = best.get(column);
    if (match !== undefined) suggested[column] = match.header;
  }
  const taken = new Set(Object.values(suggested));
  return {
    suggested_mapping: suggested,
    unmapped: headers.filter((header) => !taken.has(header)),
    missing_required: REQUIRED_COLUMNS.filter((column) => !best.has(column)),
  };
}

function matchHeader(header: string): RankedColumn | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  const column = canonicalColumn(header);
  if (column !== undefined) return { column, rank: header.trim() === column ? -2 : -1 };
  return COLUMN_BY_ALIAS.get(aliasKey(header));
}

function aliasKey(name: string): string {
  return name.toLowerCase().replace(WORD_SEPARATORS, "");
}
