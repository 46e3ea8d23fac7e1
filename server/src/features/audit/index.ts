export { AuditListQuery, AuditPage } from "./audit.schema.ts";
export { listAudit } from "./list-audit.ts";
export { recordAudit, recordAudits } from "./record-audit.ts";
