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

/** $1 organization, $2 ids, $3 actor, $4 action, $5 subject type, $6 subject ids, $7 details of each, $8 at */
export const recordAudits = {
  name: "audit-record-many",
  text: `
    INSERT INTO audit_log (organization_id, id, actor, action, subject_type, subject_id, details, created_at)
    SELECT $1, entry.id, $3, $4, $5, entry.subject_id, entry.details, $8
    FROM unnest($2::uuid[], $6::text[], $7::jsonb[]) AS entry (id, subject_id, details)`,
};
