import type { Statement } from "../../database/database.ts";

const summaryColumns = `id, name, status, dialer_mode, assigned_ai_agent_id, launched_at, paused_at, created_at,
  coalesce(updated_at, created_at) AS updated_at`;

const columns = `${summaryColumns}, concurrency, calls_per_second, lines_per_seat, max_attempts,
  window_start || '-' || window_end AS "window", days, retry_minutes, require_consent, halted_because`;

/**
 * $1 organization, $2 id, $3 name, $4 status, $5 dialer mode, $6 launched at, $7 paused at, $8 agent, $9 now,
 * $10 and on the options
 */
export const insertCampaign = {
  name: "campaign-insert",
  text: `
    INSERT INTO campaigns (organization_id, id, name, status, dialer_mode, launched_at, paused_at, assigned_ai_agent_id,
      created_at, updated_at, concurrency, calls_per_second, lines_per_seat, max_attempts, window_start, window_end, days,
      retry_minutes, require_consent)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
    RETURNING ${columns}`,
};

/** $3 name, $4 dialer mode, $5 agent, $6 now, $7 and on the options */
export const updateCampaign = {
  name: "campaign-update",
  text: `
    UPDATE campaigns
    SET name = $3, dialer_mode = $4, assigned_ai_agent_id = $5, updated_at = $6, concurrency = $7, calls_per_second = $8,
        lines_per_seat = $9, max_attempts = $10, window_start = $11, window_end = $12, days = $13, retry_minutes = $14,
        require_consent = $15
    WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

export const readCampaign = {
  name: "campaign-read",
  text: `SELECT ${columns} FROM campaigns WHERE organization_id = $1 AND id = $2`,
};

/** Newest first. */
export function listCampaigns(
  organizationId: string,
  status: string | undefined,
  limit: number,
  offset: number,
): Statement {
  const filter = status === undefined ? "" : "AND status = $4";
  return {
    name: status === undefined ? "campaigns-list" : "campaigns-list-status",
    text: `SELECT ${summaryColumns} FROM campaigns WHERE organization_id = $1 ${filter}
           ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
    values: [organizationId, limit, offset, ...(status === undefined ? [] : [status])],
  };
}

/** Holds the campaign for the rest of the transaction. Doesn't wait for the leads that others are putting into it. */
export const lockCampaign = {
  name: "campaign-lock",
  text: `SELECT ${columns} FROM campaigns WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

/** $3 status, $4 now. Launched is when it first became active; paused is since when it is. */
export const setStatus = {
  name: "campaign-set-status",
  text: `
    UPDATE campaigns
    SET status = $3,
        launched_at = CASE WHEN $3 = 'active' THEN coalesce(launched_at, $4) ELSE launched_at END,
        paused_at = CASE WHEN $3 = 'paused' THEN $4::timestamptz END,
        halted_because = NULL,
        updated_at = $4
    WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

/** In a sandbox nothing is charged, so that its wallet doesn't matter. */
export const canSpend = {
  name: "campaign-can-spend",
  text: `
    SELECT organizations.sandbox OR wallets.balance - wallets.held > 0 AS can_spend
    FROM organizations JOIN wallets USING (organization_id)
    WHERE organization_id = $1`,
};

/** What a launch needs. $1 organization, $2 campaign, $3 its agent or null */
export const readReadiness = {
  name: "campaign-readiness",
  text: `
    SELECT
      o.sandbox,
      o.phone_rate_per_minute AS minute_price,
      w.balance - w.held AS available,
      EXISTS (
        SELECT FROM agents a WHERE a.organization_id = $1 AND a.id = $3 AND a.call_template IS NOT NULL
      ) AS has_template,
      EXISTS (SELECT FROM phone_numbers n WHERE n.organization_id = $1) AS has_number,
      EXISTS (SELECT FROM leads l WHERE l.organization_id = $1 AND l.campaign_id = $2) AS has_lead
    FROM organizations o JOIN wallets w USING (organization_id)
    WHERE o.organization_id = $1`,
};

/**
 * Has leads looked at again that wait for hours, or are refused for what the campaign itself asks. A thousand at a time, by
 * the order in which they are due. $1 organization, $2 campaign, $3 now
 */
export const lookAgain = {
  name: "campaign-look-again",
  text: `
    UPDATE dial_entries SET next_at = $3
    WHERE (organization_id, campaign_id, lead_id) IN (
      SELECT organization_id, campaign_id, lead_id FROM dial_entries
      WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('waiting', 'blocked') AND next_at > $3 AND due IS NULL
        AND verdict_reason IN ('outside_window', 'no_consent')
      ORDER BY next_at, lead_id LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING lead_id`,
};
