const columns = "phone_number, reason, source, added_by, created_at";

/** Returns nothing when the number is listed already. */
export const insertEntry = {
  name: "dnc-insert",
  text: `
    INSERT INTO dnc_entries (organization_id, phone_number, reason, source, added_by, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (organization_id, phone_number) DO NOTHING
    RETURNING ${columns}`,
};

export const readEntry = {
  name: "dnc-read",
  text: `SELECT ${columns} FROM dnc_entries WHERE organization_id = $1 AND phone_number = $2`,
};

export const deleteEntry = {
  name: "dnc-delete",
  text: `DELETE FROM dnc_entries WHERE organization_id = $1 AND phone_number = $2 RETURNING ${columns}`,
};

/** $1 organization, $2 limit, $3 offset */
export const listEntries = {
  name: "dnc-list",
  text: `
    SELECT ${columns} FROM dnc_entries WHERE organization_id = $1
    ORDER BY created_at DESC, phone_number DESC LIMIT $2 OFFSET $3`,
};

/** Many at once. $1 organization, $2 numbers, each once, $3 their reasons, $4 source, $5 actor, $6 at. Returns the new ones. */
export const insertEntries = {
  name: "dnc-insert-many",
  text: `
    INSERT INTO dnc_entries (organization_id, phone_number, reason, source, added_by, created_at)
    SELECT $1, entry.phone_number, entry.reason, $4, $5, $6
    FROM unnest($2::text[], $3::text[]) AS entry (phone_number, reason)
    ORDER BY entry.phone_number
    ON CONFLICT (organization_id, phone_number) DO NOTHING
    RETURNING ${columns}`,
};

/** By number. $1 organization, $2 the last number of the page before, $3 limit */
export const exportPage = {
  name: "dnc-export-page",
  text: `
    SELECT ${columns} FROM dnc_entries WHERE organization_id = $1 AND phone_number > $2
    ORDER BY phone_number LIMIT $3`,
};
