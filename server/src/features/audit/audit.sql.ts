export const recordAudit = {
  name: "audit-record",
  text: `INSERT INTO audit_log (organization_id, id, actor, action, subject_type, subject_id, details, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/**
 * $1 organization, $2 limit, $3 offset, $4 subject type or null, $5 action or null. Ordered by id, which is time-ordered:
 * the primary key serves it.
 */
export const listAudit = {
  name: "audit-list",
  text: `
    SELECT id, actor, action, subject_type, subject_id, details, created_at
    FROM audit_log
    WHERE organization_id = $1
      AND ($4::text IS NULL OR subject_type = $4)
      AND ($5::text IS NULL OR action = $5)
    ORDER BY id DESC LIMIT $2 OFFSET $3`,
};
