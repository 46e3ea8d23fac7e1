import type { RewriteRow } from "../../database/copy-rows.ts";

const LEAD_ID_BYTES = 36;
/** `2026-01-05 10:00:00`, and behind it up to six digits of a fraction, and the offset. */
const SECONDS_BYTES = 19;
const DATE_BYTES = 10;
const OFFSET_BYTES = 3;

const COMMA = 0x2c;
const SPACE = 0x20;
const DOT = 0x2e;
const PLUS = 0x2b;
const ZERO = 0x30;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Turns a row that ends with `consented_at`, `created_at` and the lead's id into the contract's form: CRLF at its end (and
 * not inside cells), timestamps as ISO 8601 with milliseconds. `to_char` could do the latter, for a third of what the
 * whole query costs. The last three cells are never quoted, so they are found from the end without reading the others.
 * A timestamp grows by two bytes at most and the line end by one: the five that there are.
 */
export const rewriteExportRow: RewriteRow = (bytes, start, end, to) => {
  const id = end - 1 - LEAD_ID_BYTES;
  const created = startOfTime(bytes, start, id - 1);
  const consented = startOfTime(bytes, start, created - 1);
  let at = to;
  bytes.copyWithin(at, start, consented);
  at += consented - start;
  at = rewriteTime(bytes, consented, created - 1, at);
  bytes[at++] = COMMA;
  at = rewriteTime(bytes, created, id - 1, at);
  bytes[at++] = COMMA;
  bytes.copyWithin(at, id, end - 1);
  at += LEAD_ID_BYTES;
  bytes[at++] = CR;
  bytes[at++] = LF;
  return at;
};

/** Where the cell begins that ends at `end`, and is a timestamp or empty; in a row that begins at `rowStart`. */
function startOfTime(bytes: Buffer, rowStart: number, end: number): number {
  if (bytes[end - 1] === COMMA) return end;
  let at = end - SECONDS_BYTES - OFFSET_BYTES;
  while (at > rowStart && bytes[at - 1] !== COMMA) at--;
  return at;
}

function rewriteTime(bytes: Buffer, start: number, end: number, to: number): number {
  if (start === end) return to;
  const offset = end - OFFSET_BYTES;
  const isUtc = bytes[offset] === PLUS && bytes[offset + 1] === ZERO && bytes[offset + 2] === ZERO;
  if (!isUtc || bytes[start + DATE_BYTES] !== SPACE) {
    throw new Error("a timestamp is not as PostgreSQL writes it in ISO style in UTC");
  }
  // Read before anything is written: the new text may reach over them.
  const fraction = start + SECONDS_BYTES;
  const tenths = fraction + 1 < offset ? bytes[fraction + 1]! : ZERO;
  const hundredths = fraction + 2 < offset ? bytes[fraction + 2]! : ZERO;
  const thousandths = fraction + 3 < offset ? bytes[fraction + 3]! : ZERO;
  bytes.copyWithin(to, start, fraction);
  bytes[to + DATE_BYTES] = LETTER_T;
  let at = to + SECONDS_BYTES;
  bytes[at++] = DOT;
  bytes[at++] = tenths;
  bytes[at++] = hundredths;
  bytes[at++] = thousandths;
  bytes[at++] = LETTER_Z;
  return at;
}
