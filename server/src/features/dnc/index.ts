export { addDncEntry, type DncDeps } from "./add-dnc-entry.ts";
export { canonicalNumber } from "./canonical-number.ts";
export {
  DncAdd,
  DncCheck,
  DncCheckQuery,
  DncEntry,
  DncImport,
  DncImported,
  DncListQuery,
  DncNumber,
  DncPage,
  DncRemoved,
  DncRemoveQuery,
} from "./dnc.schema.ts";
export { exportDncEntries } from "./export-dnc.ts";
export { importDncEntries } from "./import-dnc.ts";
export { listNumberAsDnc } from "./list-number.ts";
export { checkDncNumber, isOnDnc, listDncEntries } from "./read-dnc.ts";
export { removeDncEntry } from "./remove-dnc-entry.ts";
