export { parseImportDate, parseIsoDateTime } from "./consent-date.ts";
export { type CsvFile, type CsvRow, MAX_CSV_BYTES, openCsv, requireCsv } from "./csv.ts";
export { normaliseEmail } from "./email-address.ts";
export { type CsvInspection, inspectCsv } from "./inspect-csv.ts";
export {
  LEAD_BOUNDS,
  LEAD_COLUMNS,
  type LeadColumn,
  type LeadFields,
  type LeadValues,
  type OptionalColumn,
  type RowWarning,
} from "./lead-columns.ts";
export { canonicalPhoneNumber } from "./phone-number.ts";
export {
  type ImportPlan,
  type LeadRowReading,
  planImport,
  type RowError,
  readLeadRow,
} from "./plan-import.ts";
export { hasUnstorableCharacter, replaceUnstorableCharacters } from "./unstorable-characters.ts";
export { splitIntoWaves } from "./waves.ts";
