import { DomainError } from "../../../domain-error.ts";
import { canonicalColumn, columnNamed } from "./header-names.ts";
import {
  isEmptyCell,
  LEAD_COLUMNS,
  type LeadColumn,
  type LeadValues,
  OPTIONAL_COLUMNS,
  type OptionalColumn,
  type RowWarning,
  readCell,
} from "./lead-columns.ts";
import { canonicalPhoneNumber } from "./phone-number.ts";

/** Which cell of a row holds which column. A column that isn't in it isn't in the file. */
export interface ImportPlan {
  readonly indexByColumn: ReadonlyMap<LeadColumn, number>;
}

export type RowError = "invalid_or_missing_phone" | "missing_required:phone_number";

/** A row that goes in, with its canonical phone number, or why it doesn't. */
export type LeadRowReading =
  | { phone: string; values: LeadValues; warnings: RowWarning[] }
  | { error: RowError };

/**
 * Decides where the columns are. Without a mapping only headers that are canonical names count; with one only the
 * columns it names. A mapped header that isn't in the file leaves its column out.
 * @param headers trimmed, as `openCsv` gives them
 * @param mapping the request's `mapping` field, of whatever type it came: canonical column to header
 * @throws DomainError `invalid_request` on a mapping that isn't an object of strings by canonical columns,
 *   `invalid_csv` when two headers equal one that is used
 */
export function planImport(headers: readonly string[], mapping?: unknown): ImportPlan {
  const headerByColumn = mapping === undefined ? LEAD_COLUMNS.map(unmapped) : mappingEntries(mapping);
  const indexByColumn = new Map<LeadColumn, number>();
  for (const [column, header] of headerByColumn) {
    const index = indexOfHeader(headers, header, mapping !== undefined);
    if (index !== -1) indexByColumn.set(column, index);
  }
  return { indexByColumn };
}

/** A header may have megabytes; a message shouldn't. */
const LONGEST_NAME_SHOWN = 100;

function unmapped(column: LeadColumn): [LeadColumn, string] {
  return [column, column];
}

function mappingEntries(mapping: unknown): [LeadColumn, string][] {
  if (typeof mapping !== "object" || mapping === null || Array.isArray(mapping)) {
    throw new DomainError("invalid_request", "mapping must be an object from canonical column to header.");
  }
  return Object.entries(mapping).map(([name, header]) => {
    const column = columnNamed(name);
    if (column === undefined) {
      throw new DomainError("invalid_request", `A mapping's keys are among: ${LEAD_COLUMNS.join(", ")}.`);
    }
    if (typeof header !== "string") {
      throw new DomainError("invalid_request", `mapping.${column} must be a string, the name of a header.`);
    }
    return [column, header.trim()];
  });
}

/** Index of the one header of that name; a canonical name is found in any case, one written just so first of all. */
function indexOfHeader(headers: readonly string[], name: string, preferAsWritten: boolean): number {
  if (name === "") return -1;
  const asWritten = headers.flatMap((header, index) => (header === name ? [index] : []));
  const column = canonicalColumn(name);
  const useAsWritten = column === undefined || (preferAsWritten && asWritten.length > 0);
  const found = useAsWritten
    ? asWritten
    : headers.flatMap((header, index) => (canonicalColumn(header) === column ? [index] : []));
  if (found.length > 1) {
    const shown = JSON.stringify(name.slice(0, LONGEST_NAME_SHOWN));
    throw new DomainError("invalid_csv", `The CSV has ${found.length} columns named ${shown}.`);
  }
  return found[0] ?? -1;
}

/** Reads one row by the plan. An empty cell, or one that the row doesn't reach, counts as not sent. */
export function readLeadRow(plan: ImportPlan, cells: readonly string[]): LeadRowReading {
  const phoneIndex = plan.indexByColumn.get("phone_number");
  if (phoneIndex === undefined) return { error: "missing_required:phone_number" };
  const phone = canonicalPhoneNumber(cells[phoneIndex]);
  if (phone === null) return { error: "invalid_or_missing_phone" };
  const values: LeadValues = {};
  const warnings: RowWarning[] = [];
  for (const column of OPTIONAL_COLUMNS) {
    const index = plan.indexByColumn.get(column);
    const cell = index === undefined ? undefined : cells[index];
    if (cell === undefined || isEmptyCell(cell)) continue;
    readInto(values, warnings, column, cell);
  }
  return { phone, values, warnings };
}

function readInto<Column extends OptionalColumn>(
  values: LeadValues,
  warnings: RowWarning[],
  column: Column,
  cell: string,
): void {
  const reading = readCell(column, cell);
  if ("warning" in reading) warnings.push(reading.warning);
  else values[column] = reading.value;
}
