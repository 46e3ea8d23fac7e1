export { AuditListQuery, AuditPage } from "./audit.schema.ts";
export { listAudit } from "./list-audit.ts";
export { recordAudit } from "./record-audit.ts";
