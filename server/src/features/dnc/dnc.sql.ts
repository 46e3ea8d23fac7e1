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
