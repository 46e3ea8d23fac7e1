import type { Statement } from "../../database/database.ts";

const columns = `id, name, status, dialer_mode, assigned_ai_agent_id, launched_at, paused_at, created_at,
  coalesce(updated_at, created_at) AS updated_at`;

/** $1 organization, $2 id, $3 name, $4 status, $5 dialer mode, $6 launched at, $7 paused at, $8 agent, $9 now */
export const insertCampaign = {
  name: "campaign-insert",
  text: `
    INSERT INTO campaigns (organization_id, id, name, status, dialer_mode, launched_at, paused_at, assigned_ai_agent_id,
      created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
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
    text: `SELECT ${columns} FROM campaigns WHERE organization_id = $1 ${filter}
           ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
    values: [organizationId, limit, offset, ...(status === undefined ? [] : [status])],
  };
}

/** Holds the campaign for the rest of the transaction. */
export const lockCampaign = {
  name: "campaign-lock",
  text: `SELECT ${columns} FROM campaigns WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
};

/** $3 status, $4 now. Launched is when it first became active; paused is since when it is. */
export const setStatus = {
  name: "campaign-set-status",
  text: `
    UPDATE campaigns
    SET status = $3,
        launched_at = CASE WHEN $3 = 'active' THEN coalesce(launched_at, $4) ELSE launched_at END,
        paused_at = CASE WHEN $3 = 'paused' THEN $4::timestamptz END,
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
