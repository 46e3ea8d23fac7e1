/**
 * $1 organization. Locks the wallet alone: the organization is read by `readTerms` in a statement of its own, whose
 * snapshot is taken after the lock was got, so that a threshold changed meanwhile is seen.
 */
export const lockWallet = {
  name: "wallet-lock",
  text: `SELECT organization_id, balance, held, low_balance_armed AS armed FROM wallets WHERE organization_id = $1 FOR UPDATE`,
};

export const readTerms = {
  name: "wallet-terms",
  text: `SELECT low_balance_threshold AS threshold, phone_rate_per_minute, browser_rate_per_minute FROM organizations WHERE organization_id = $1`,
};

/** $1 organization, $2 now */
export const insertWallet = {
  name: "wallet-insert",
  text: `INSERT INTO wallets (organization_id, balance, low_balance_armed, updated_at) VALUES ($1, 0, false, $2)`,
};

const entryColumns = `id, transfer_id, kind, amount AS tokens, balance_after AS balance, note, actor,
  idempotency_key, created_at`;

/** $1 organization, $2 the key as stored */
export const findEntry = {
  name: "wallet-entry-find",
  text: `
    SELECT ${entryColumns} FROM ledger_entries
    WHERE organization_id = $1 AND account = 'wallet' AND idempotency_key = $2`,
};

/**
 * Both sides of a transfer and the wallet they change. $1 organization, $2 transfer, $3 the wallet's entry, $4 the
 * counter entry, $5 the counter account, $6 tokens into the wallet, $7 kind, $8 the key as stored, $9 note, $10 actor,
 * $11 balance afterwards, $12 whether the wallet is armed afterwards, $13 now
 */
export const postTransfer = {
  name: "wallet-transfer",
  text: `
    WITH changed AS (
      UPDATE wallets SET balance = $11, low_balance_armed = $12, updated_at = $13 WHERE organization_id = $1
    ), counter AS (
      INSERT INTO ledger_entries
        (organization_id, id, transfer_id, account, amount, kind, idempotency_key, note, actor, balance_after, created_at)
      VALUES ($1, $4, $2, $5, -$6::bigint, $7, $8, $9, $10, NULL, $13)
    )
    INSERT INTO ledger_entries
      (organization_id, id, transfer_id, account, amount, kind, idempotency_key, note, actor, balance_after, created_at)
    VALUES ($1, $3, $2, 'wallet', $6::bigint, $7, $8, $9, $10, $11, $13)
    RETURNING ${entryColumns}`,
};

/** $1 organization, $2 armed, $3 now */
export const armWallet = {
  name: "wallet-arm",
  text: `UPDATE wallets SET low_balance_armed = $2, updated_at = $3 WHERE organization_id = $1`,
};

/** First in a transaction: its statements see the database as it is now. */
export const oneMoment = { text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY" };

/** One statement, so that the balance and the entries that make it up are of one moment. $1 organization, $2 entries */
export const readWallet = {
  name: "wallet-read",
  text: `
    SELECT w.organization_id, w.balance AS wallet_balance, w.held, o.low_balance_threshold AS threshold, e.*
    FROM wallets AS w
    JOIN organizations AS o USING (organization_id)
    LEFT JOIN LATERAL (
      SELECT ${entryColumns} FROM ledger_entries AS l
      WHERE l.organization_id = w.organization_id AND l.account = 'wallet'
      ORDER BY l.id DESC LIMIT $2
    ) AS e ON true
    WHERE w.organization_id = $1
    ORDER BY e.id DESC`,
};
