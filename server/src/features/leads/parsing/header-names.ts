import { LEAD_COLUMNS, type LeadColumn } from "./lead-columns.ts";

const COLUMN_BY_NAME: ReadonlyMap<string, LeadColumn> = new Map(LEAD_COLUMNS.map((name) => [name, name]));

/** The canonical column of exactly this name. */
export function columnNamed(name: string): LeadColumn | undefined {
  return COLUMN_BY_NAME.get(name);
}

/** The canonical column that a header names by itself: trimmed, in any case, no aliases. */
export function canonicalColumn(header: string): LeadColumn | undefined {
  return COLUMN_BY_NAME.get(header.trim().toLowerCase());
}
