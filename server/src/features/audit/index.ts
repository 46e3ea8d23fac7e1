export { AuditListQuery, AuditPage, AuditRecord } from "./audit.schema.ts";
export { listAudit } from "./list-audit.ts";
export { type AuditEntry, recordAudit } from "./record-audit.ts";
