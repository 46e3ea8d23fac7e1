/** All of these run under the wallet's lock, which is what keeps a wallet and its holds in step. */

/** $1 organization, $2 call, $3 tokens, $4 now */
export const insertHold = {
  name: "hold-insert",
  text: `
    WITH changed AS (
      UPDATE wallets SET held = held + $3::bigint, updated_at = $4 WHERE organization_id = $1
    )
    INSERT INTO call_holds (organization_id, call_id, state, held, created_at) VALUES ($1, $2, 'held', $3::bigint, $4)`,
};

/** A row when the hold was there to extend. $1 organization, $2 call, $3 tokens, $4 now */
export const extendHold = {
  name: "hold-extend",
  text: `
    WITH extended AS (
      UPDATE call_holds SET held = held + $3::bigint
      WHERE organization_id = $1 AND call_id = $2 AND state = 'held'
      RETURNING organization_id
    )
    UPDATE wallets SET held = wallets.held + $3::bigint, updated_at = $4
    FROM extended WHERE wallets.organization_id = extended.organization_id
    RETURNING wallets.organization_id`,
};

/** $1 organization, $2 call */
export const readHold = {
  name: "hold-read",
  text: `SELECT state, held, captured FROM call_holds WHERE organization_id = $1 AND call_id = $2`,
};

/** What running calls hold, newest first. $1 organization, $2 how many at most */
export const listHolds = {
  name: "holds-list",
  text: `
    SELECT call_id, held AS tokens, created_at FROM call_holds
    WHERE organization_id = $1 AND state = 'held'
    ORDER BY created_at DESC, call_id DESC LIMIT $2`,
};

/** $1 organization, $2 call, $3 what it held, $4 what of it is charged, $5 now */
export const settleHold = {
  name: "hold-settle",
  text: `
    WITH changed AS (
      UPDATE wallets SET held = held - $3::bigint, updated_at = $5 WHERE organization_id = $1
    )
    UPDATE call_holds SET state = 'settled', held = 0, captured = $4, settled_at = $5
    WHERE organization_id = $1 AND call_id = $2`,
};
