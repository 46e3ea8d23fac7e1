export { type CsvFile, type CsvRow, openCsv, requireCsv } from "./csv.ts";
export { normaliseEmail } from "./email-address.ts";
export { inspectCsv } from "./inspect-csv.ts";
export {
  LEAD_COLUMNS,
  type LeadValues,
} from "./lead-columns.ts";
export { canonicalPhoneNumber } from "./phone-number.ts";
export {
  type ImportPlan,
  planImport,
  readLeadRow,
} from "./plan-import.ts";

export { splitIntoWaves } from "./waves.ts";
