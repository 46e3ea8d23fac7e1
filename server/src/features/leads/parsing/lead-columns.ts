import { parseImportDate } from "../../../iso-date-time.ts";
import { normaliseEmail } from "./email-address.ts";
import { hasUnstorableCharacter } from "./unstorable-characters.ts";

/** The canonical columns of the bulk import, in the contract's order. */
export const LEAD_COLUMNS = [
  "first_name",
  "last_name",
  "phone_number",
  "email_address",
  "status",
  "credit_score",
  "annual_income",
  "consent_source",
  "consented_at",
] as const;
export type LeadColumn = (typeof LEAD_COLUMNS)[number];

/** The canonical columns that a file must have. */
export const REQUIRED_COLUMNS: readonly LeadColumn[] = ["phone_number"];

/** The bounds of a lead's fields; lengths count code points. */
const LEAD_BOUNDS = {
  nameLength: 120,
  statusLength: 64,
  consentSourceLength: 64,
  creditScoreMin: 300,
  creditScoreMax: 850,
  annualIncomeMax: 1_000_000_000_000,
} as const;

/** The optional columns and what they are read as. */
export interface LeadFields {
  first_name: string;
  last_name: string;
  /** Trimmed and lower-cased. */
  email_address: string;
  status: string;
  credit_score: number;
  annual_income: number;
  consent_source: string;
  consented_at: Date;
}
export type OptionalColumn = keyof LeadFields;

/** What a row's optional cells hold once they are read. A column that isn't there was empty, broken or not mapped. */
export type LeadValues = Partial<LeadFields>;

/** A broken value that was left out. `code` is `invalid_value:<column>`; `message` says the rule, never the value. */
export interface RowWarning {
  column: OptionalColumn;
  code: `invalid_value:${OptionalColumn}`;
  message: string;
}

export type CellReading<Value> = { value: Value } | { warning: RowWarning };

interface CellReader<Value> {
  /** The rule in words, for the warning. */
  rule: string;
  read(text: string): Value | null;
}

const CELL_READERS: { readonly [Column in OptionalColumn]: CellReader<LeadFields[Column]> } = {
  first_name: textReader(LEAD_BOUNDS.nameLength),
  last_name: textReader(LEAD_BOUNDS.nameLength),
  email_address: { rule: "must be an e-mail address", read: normaliseEmail },
  status: textReader(LEAD_BOUNDS.statusLength),
  credit_score: {
    rule: `must be a whole number from ${LEAD_BOUNDS.creditScoreMin} to ${LEAD_BOUNDS.creditScoreMax}`,
    read(text) {
      const score = decimalNumber(text);
      if (score === null || !Number.isInteger(score)) return null;
      return score >= LEAD_BOUNDS.creditScoreMin && score <= LEAD_BOUNDS.creditScoreMax ? score : null;
    },
  },
  annual_income: {
    rule: `must be a plain number above 0 and at most ${LEAD_BOUNDS.annualIncomeMax}, without separators or currency`,
    read(text) {
      const income = decimalNumber(text);
      return income !== null && income > 0 && income <= LEAD_BOUNDS.annualIncomeMax ? income : null;
    },
  },
  consent_source: textReader(LEAD_BOUNDS.consentSourceLength),
  consented_at: {
    rule: "must be an ISO 8601 date or date-time, or MM/DD/YYYY",
    read: (text) => parseImportDate(text.trim()),
  },
};

/** The columns other than `phone_number`: a broken value in them is left out and the row still goes in. */
export const OPTIONAL_COLUMNS = Object.keys(CELL_READERS) as readonly OptionalColumn[];

/** True for a cell that counts as not sent: nothing in it, or white space alone. */
export function isEmptyCell(text: string): boolean {
  return text === "" || text.trim() === "";
}

/**
 * Reads one cell that isn't empty. Text is taken as it stands (an export imported again changes nothing); numbers,
 * dates and addresses are trimmed first.
 */
export function readCell<Column extends OptionalColumn>(
  column: Column,
  text: string,
): CellReading<LeadFields[Column]> {
  const reader: CellReader<LeadFields[Column]> = CELL_READERS[column];
  const value = reader.read(text);
  if (value !== null) return { value };
  return { warning: { column, code: `invalid_value:${column}`, message: `${column} ${reader.rule}` } };
}

function textReader(longest: number): CellReader<string> {
  return {
    rule: `must be text of at most ${longest} characters, without NUL or unpaired surrogates`,
    read: (text) => (isLongerThan(text, longest) || hasUnstorableCharacter(text) ? null : text),
  };
}

function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  // A code point takes at most two UTF-16 units, so a huge cell need not be counted.
  return text.length > 2 * codePoints || Array.from(text).length > codePoints;
}

const DECIMAL_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Strict on purpose: `75,000` is 75000 in one country and 75.000 in the next, and a guess would be stored as a fact.
 * The exponent is there because numbers are exported that way when they are very small.
 */
function decimalNumber(text: string): number | null {
  const trimmed = text.trim();
  return DECIMAL_NUMBER.test(trimmed) ? Number(trimmed) : null;
}
