/** A row when it was active. $1 organization, $2 campaign, $3 now, $4 why */
export const pause = {
  name: "dial-pause",
  text: `
    UPDATE campaigns SET status = 'paused', paused_at = $3, updated_at = $3, halted_because = $4
    WHERE organization_id = $1 AND id = $2 AND status = 'active'
    RETURNING id`,
};

/** Keeps leads from being added meanwhile. A row when the campaign is active. $1 organization, $2 campaign */
export const lockActive = {
  name: "dial-lock-active",
  text: "SELECT id FROM campaigns WHERE organization_id = $1 AND id = $2 AND status = 'active' FOR UPDATE",
};

/** Whether anybody was dialed, and nobody is left that could be. $1 organization, $2 campaign */
export const isFinished = {
  name: "dial-is-finished",
  text: `
    SELECT EXISTS (
      SELECT FROM dial_attempts WHERE organization_id = $1 AND campaign_id = $2 AND state = 'settled'
    ) AND NOT EXISTS (
      SELECT FROM dial_entries WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('waiting', 'dialing')
    ) AS finished`,
};

/** $1 organization, $2 campaign, $3 now */
export const complete = {
  name: "dial-complete",
  text: `
    UPDATE campaigns SET status = 'completed', updated_at = $3, halted_because = NULL
    WHERE organization_id = $1 AND id = $2`,
};
