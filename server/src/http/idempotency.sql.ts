const WHERE_KEY = "organization_id = $1 AND api_key_id = $2 AND method = $3 AND path = $4 AND key = $5";

/**
 * Claims a key for the request that runs first, or takes over one whose process died. No row comes back when another
 * request holds it or its answer is known.
 * $1–$5 the key's scope, $6 request hash, $7 claim id, $8 now, $9 records claimed before this are abandoned,
 * $10 records made before this are forgotten
 */
export const claim = {
  name: "idempotency-claim",
  text: `
    INSERT INTO idempotency_records AS known
      (organization_id, api_key_id, method, path, key, request_hash, state, claim_id, claimed_at, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'running', $7, $8, $8)
    ON CONFLICT (organization_id, api_key_id, method, path, key) DO UPDATE
      SET request_hash = excluded.request_hash, state = 'running', claim_id = excluded.claim_id,
          status_code = NULL, body = NULL, claimed_at = excluded.claimed_at, created_at = excluded.created_at
      WHERE known.created_at <= $10
         OR (known.state = 'running' AND known.claimed_at <= $9 AND known.request_hash = excluded.request_hash)
    RETURNING claim_id`,
};

export const read = {
  name: "idempotency-read",
  text: `SELECT request_hash, state, status_code, body FROM idempotency_records WHERE ${WHERE_KEY}`,
};

/** $6 claim id, $7 status, $8 body. No row comes back when another request has taken the key over. */
export const remember = {
  name: "idempotency-remember",
  text: `
    UPDATE idempotency_records SET state = 'done', status_code = $7, body = $8
    WHERE ${WHERE_KEY} AND claim_id = $6 AND state = 'running'
    RETURNING claim_id`,
};

/** $6 claim id */
export const release = {
  name: "idempotency-release",
  text: `DELETE FROM idempotency_records WHERE ${WHERE_KEY} AND claim_id = $6 AND state = 'running'`,
};
