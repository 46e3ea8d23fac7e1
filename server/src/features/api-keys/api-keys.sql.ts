const columns = `organization_id, id, name, key_prefix, scopes, rate_limit_per_minute, expires_at, revoked_at, rotated_from,
  last_used_at, created_at`;

/**
 * $1 the SHA-256 of the key. Runs across organizations: the key is what tells which one.
 */
export const findKey = {
  name: "api-key-find",
  text: `
    SELECT k.id, k.organization_id, k.scopes, k.rate_limit_per_minute, k.expires_at, k.revoked_at, o.status, o.sandbox
    FROM api_keys AS k JOIN organizations AS o USING (organization_id)
    WHERE k.key_hash = $1`,
};

export const insertKey = {
  name: "api-key-insert",
  text: `
    INSERT INTO api_keys (organization_id, id, name, key_hash, key_prefix, scopes, rate_limit_per_minute, expires_at, rotated_from, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    RETURNING ${columns}`,
};

/** $1 organization, $2 limit, $3 offset */
export const listKeys = {
  name: "api-keys-list",
  text: `SELECT ${columns} FROM api_keys WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
};

export const lockKey = {
  name: "api-key-lock",
  text: `SELECT ${columns} FROM api_keys WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
};

/** $3 when it stops */
export const setRevokedAt = {
  name: "api-key-revoke",
  text: `UPDATE api_keys SET revoked_at = $3 WHERE organization_id = $1 AND id = $2 RETURNING ${columns}`,
};
