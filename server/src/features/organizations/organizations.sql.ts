const columns = `o.organization_id AS id, o.name, o.status, o.sandbox, o.voice_enabled, o.concurrency_limit, o.low_balance_threshold,
  o.timezone, o.created_at, o.updated_at, w.balance AS balance_tokens`;

export const insertOrganization = {
  name: "organization-insert",
  text: `
    WITH made AS (
      INSERT INTO organizations (organization_id, name, status, sandbox, voice_enabled, concurrency_limit, low_balance_threshold,
        timezone, last_api_activity_at, created_at, updated_at)
      VALUES ($1, $2, 'active', $3, $4, $5, $6, $7, $8, $8, $8)
      RETURNING *
    ), w AS (
      INSERT INTO wallets (organization_id, balance, low_balance_armed, updated_at)
      VALUES ($1, 0, false, $8)
      RETURNING *
    )
    SELECT ${columns} FROM made AS o, w`,
};

export const readOrganization = {
  name: "organization-read",
  text: `SELECT ${columns} FROM organizations AS o JOIN wallets AS w USING (organization_id) WHERE o.organization_id = $1`,
};
