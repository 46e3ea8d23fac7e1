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
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};
