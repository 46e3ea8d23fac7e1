/** An organization's calls go through its own trunks first, then through the shared ones. */
const NOBODY = "'00000000-0000-0000-0000-000000000000'::uuid";
const columns = `id, owner_id, name, host, port, transport, username, channels, calls_per_second, priority, register,
  created_at`;
const order = "(owner_id IS NULL), priority, created_at, id";

/**
 * $1 organization or null, $2 id, $3 name, $4 host, $5 port, $6 transport, $7 username, $8 password, $9 channels,
 * $10 calls per second, $11 priority, $12 register, $13 now
 */
export const insertTrunk = {
  name: "trunk-insert",
  text: `
    INSERT INTO trunks (organization_id, id, name, host, port, transport, username, password, channels, calls_per_second,
      priority, register, created_at)
    VALUES (coalesce($1::uuid, ${NOBODY}), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    RETURNING ${columns}`,
};

/** The operator's list: across organizations without $1. $2 limit, $3 offset */
export const listTrunks = {
  name: "trunks-list",
  text: `
    SELECT ${columns} FROM trunks WHERE $1::uuid IS NULL OR organization_id IN ($1, ${NOBODY})
    ORDER BY ${order} LIMIT $2 OFFSET $3`,
};

/** What calls of $1 are placed with; without it, those of everybody: who may call us. */
export const readDialable = {
  name: "trunks-dialable",
  text: `
    SELECT ${columns}, password FROM trunks WHERE $1::uuid IS NULL OR organization_id IN ($1, ${NOBODY})
    ORDER BY ${order}`,
};

/** By the operator: across organizations. $1 id */
export const readTrunk = {
  name: "trunk-read",
  text: `SELECT ${columns}, password FROM trunks WHERE id = $1`,
};

/** By the operator: across organizations. $1 id */
export const deleteTrunk = {
  name: "trunk-delete",
  text: `DELETE FROM trunks WHERE id = $1 RETURNING ${columns}`,
};
