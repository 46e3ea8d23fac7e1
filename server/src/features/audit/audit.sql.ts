export const recordAudit = {
  name: "audit-record",
  text: `INSERT INTO audit_log (organization_id, id, actor, action, subject_type, subject_id, details, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};
