const columns = "id, from_number, to_number, body, opt_out, matched, received_at";

/** $1 organization, $2 id, $3 from, $4 to, $5 body, $6 opt-out, $7 matched, $8 received at */
export const insertText = {
  name: "inbound-text-insert",
  text: `
    INSERT INTO inbound_texts (organization_id, id, from_number, to_number, body, opt_out, matched, received_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    RETURNING ${columns}`,
};

/** $1 organization, $2 limit, $3 offset. Ids are time-ordered. */
export const listTexts = {
  name: "inbound-text-list",
  text: `SELECT ${columns} FROM inbound_texts WHERE organization_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
};
