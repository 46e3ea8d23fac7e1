const columns = `o.organization_id AS id, o.name, o.status, o.sandbox, o.voice_enabled, o.concurrency_limit, o.daily_attempt_cap, o.low_balance_threshold,
  o.phone_rate_per_minute, o.browser_rate_per_minute, o.timezone, o.appointment_hours, o.created_at, o.updated_at, w.balance AS balance_tokens`;

const joined = "organizations AS o JOIN wallets AS w USING (organization_id)";

/**
 * $1 id, $2 name, $3 sandbox, $4 voice, $5 concurrency, $6 threshold, $7 time zone, $8 now, $9 and $10 the prices of a
 * minute of phone and browser. Its wallet comes after it.
 */
export const insertOrganization = {
  name: "organization-insert",
  text: `
    INSERT INTO organizations (organization_id, name, status, sandbox, voice_enabled, concurrency_limit, low_balance_threshold,
      timezone, phone_rate_per_minute, browser_rate_per_minute, appointment_hours, last_api_activity_at, created_at, updated_at)
    VALUES ($1, $2, 'active', $3, $4, $5, $6, $7, $9, $10, '{}', $8, $8, $8)`,
};

export const readOrganization = {
  name: "organization-read",
  text: `SELECT ${columns} FROM ${joined} WHERE o.organization_id = $1`,
};

/** The operator's list, across organizations. $1 limit, $2 offset */
export const listOrganizations = {
  name: "organizations-list",
  text: `SELECT ${columns} FROM ${joined} ORDER BY o.created_at DESC, o.organization_id DESC LIMIT $1 OFFSET $2`,
};

/** Not FOR UPDATE, which would wait for every insert whose foreign key names the organization. */
export const lockOrganization = {
  name: "organization-lock",
  text: `SELECT ${columns} FROM ${joined} WHERE o.organization_id = $1 FOR NO KEY UPDATE OF o`,
};

export const updateOrganization = {
  name: "organization-update",
  text: `
    UPDATE organizations
    SET name = $2, status = $3, voice_enabled = $4, concurrency_limit = $5, low_balance_threshold = $6, timezone = $7,
        updated_at = $8, phone_rate_per_minute = $9, browser_rate_per_minute = $10, daily_attempt_cap = $11, appointment_hours = $12
    WHERE organization_id = $1`,
};
