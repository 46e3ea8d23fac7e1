/** Nobody pauses it until the transaction has ended. A row when it is active. $1 organization, $2 campaign */
export const holdCampaign = {
  name: "dial-hold-campaign",
  text: "SELECT id FROM campaigns WHERE organization_id = $1 AND id = $2 AND status = 'active' FOR SHARE",
};

/**
 * A row when the claim is still this dialer's, the lead still the campaign's, its consent not taken back, and nobody else calls the
 * number or has called it since the claim: the verdict counted a day's calls then. Starts of an organization come one after the other
 * by the lock of its wallet, so none can slip in between. $1 organization, $2 attempt, $3 worker, $4 now
 */
export const markDialed = {
  name: "dial-mark-dialed",
  text: `
    UPDATE dial_attempts AS attempt SET state = 'dialed', dialed_at = $4
    FROM leads AS lead, dial_entries AS entry, campaigns AS campaign
    WHERE attempt.organization_id = $1 AND attempt.id = $2 AND attempt.state = 'claimed' AND attempt.worker_id = $3
      AND campaign.organization_id = $1 AND campaign.id = attempt.campaign_id
      AND (lead.consented_at IS NOT NULL OR NOT campaign.require_consent)
      AND lead.organization_id = $1 AND lead.id = attempt.lead_id AND lead.campaign_id = attempt.campaign_id
      AND entry.organization_id = $1 AND entry.campaign_id = attempt.campaign_id AND entry.lead_id = attempt.lead_id
      AND NOT EXISTS (
        SELECT FROM calls AS call WHERE call.organization_id = $1 AND call.to_number = attempt.phone_number
          AND call.medium = 'phone' AND (call.ended_at IS NULL OR call.created_at >= attempt.claimed_at))
      AND entry.state = 'dialing' AND (lead.status IN ('new', 'pending') OR lead.status = entry.lead_status)
    RETURNING attempt.id`,
};

/** An attempt that isn't settled, with what its end depends on. $1 organization, $2 attempt */
export const readAttempt = {
  name: "dial-read-attempt",
  text: `
    SELECT attempt.campaign_id, attempt.lead_id, attempt.state, entry.attempts, entry.network_failures,
      entry.lead_status AS written_status, entry.due,
      lead.status AS lead_status, lead.campaign_id IS NOT DISTINCT FROM attempt.campaign_id AS here,
      campaign.max_attempts, campaign.retry_minutes
    FROM dial_attempts AS attempt
    JOIN dial_entries AS entry ON entry.organization_id = attempt.organization_id
      AND entry.campaign_id = attempt.campaign_id AND entry.lead_id = attempt.lead_id
    JOIN leads AS lead ON lead.organization_id = attempt.organization_id AND lead.id = attempt.lead_id
    JOIN campaigns AS campaign ON campaign.organization_id = attempt.organization_id AND campaign.id = attempt.campaign_id
    WHERE attempt.organization_id = $1 AND attempt.id = $2 AND attempt.state IN ('claimed', 'dialed')
    FOR NO KEY UPDATE OF lead`,
};

/** $1 organization, $2 lead, $3 status, $4 now */
export const setLeadStatus = {
  name: "dial-set-lead-status",
  text: `
    UPDATE leads SET status = $3, version = version + 1, updated_at = $4
    WHERE organization_id = $1 AND id = $2 AND status <> $3`,
};

/** $1 organization, $2 campaign, $3 lead, $4 state, $5 next at or null, $6 due, $7 attempts, $8 network failures, $9 status written */
export const settleEntry = {
  name: "dial-settle-entry",
  text: `
    UPDATE dial_entries SET state = $4, next_at = coalesce($5, next_at), due = $6, attempts = $7, network_failures = $8,
      lead_status = $9
    WHERE organization_id = $1 AND campaign_id = $2 AND lead_id = $3`,
};

/** $1 organization, $2 attempt, $3 state, $4 outcome, $5 answered by, $6 abandoned, $7 answered at, $8 settled at, $9 cost */
export const settleAttempt = {
  name: "dial-settle-attempt",
  text: `
    UPDATE dial_attempts SET state = $3, outcome = $4, answered_by = $5, abandoned = abandoned OR $6,
      answered_at = coalesce(answered_at, $7), settled_at = $8, cost_tokens = $9
    WHERE organization_id = $1 AND id = $2`,
};

/**
 * Gives a claim up that was never dialed; its lead waits again, from $6 on. A row when there was one.
 * $1 organization, $2 attempt, $3 worker, $4 why, $5 now, $6 next at
 */
export const dropClaim = {
  name: "dial-drop-claim",
  text: `
    WITH dropped AS (
      UPDATE dial_attempts SET state = 'dropped', outcome = $4, settled_at = $5
      WHERE organization_id = $1 AND id = $2 AND state = 'claimed' AND worker_id = $3
      RETURNING organization_id, campaign_id, lead_id
    ), freed AS (
      UPDATE dial_entries AS entry
      SET state = CASE WHEN lead.campaign_id IS NOT DISTINCT FROM entry.campaign_id THEN 'waiting' ELSE 'left' END, next_at = $6
      FROM dropped, leads AS lead
      WHERE entry.organization_id = $1 AND entry.campaign_id = dropped.campaign_id AND entry.lead_id = dropped.lead_id
        AND entry.state = 'dialing' AND lead.organization_id = $1 AND lead.id = dropped.lead_id
    )
    SELECT campaign_id FROM dropped`,
};

/**
 * Across organizations: claims whose process is gone, or was late. Also those whose lease reaches further than any claim's: it
 * was taken under a clock that has been set back since. $1 now, $2 the furthest that a lease can reach, $3 how many
 */
export const findLostClaims = {
  name: "dial-find-lost",
  text: `
    SELECT organization_id, id, worker_id FROM dial_attempts
    WHERE state = 'claimed' AND (lease_until < $1 OR lease_until > $2)
    ORDER BY lease_until LIMIT $3`,
};

/** Across organizations: what the metrics tell. $1 now */
export const readFigures = {
  name: "dial-figures",
  text: `
    SELECT
      (SELECT count(*)::int FROM dial_attempts WHERE state = 'claimed') AS claimed,
      (SELECT count(*)::int FROM dial_attempts WHERE state IN ('claimed', 'dialed') AND state = 'dialed') AS dialed,
      (SELECT extract(epoch FROM min(due.next_at))::float8 * 1000 FROM campaigns AS campaign
       CROSS JOIN LATERAL (
         SELECT next_at FROM dial_entries AS entry
         WHERE entry.organization_id = campaign.organization_id AND entry.campaign_id = campaign.id
           AND entry.state IN ('waiting', 'blocked')
         ORDER BY next_at LIMIT 1) AS due
       WHERE campaign.status = 'active' AND due.next_at <= $1) AS oldest_due_at`,
};

/**
 * Across organizations: the active campaigns, and when the first of each one's leads comes due. One index probe for each.
 */
export const findActive = {
  name: "dial-find-active",
  text: `
    SELECT campaign.organization_id, campaign.id, (
      SELECT extract(epoch FROM next_at)::float8 * 1000 FROM dial_entries AS entry
      WHERE entry.organization_id = campaign.organization_id AND entry.campaign_id = campaign.id
        AND entry.state IN ('waiting', 'blocked')
      ORDER BY next_at, lead_id LIMIT 1) AS next_at,
      NOT organization.sandbox AND wallet.balance < organization.phone_rate_per_minute AS dry
    FROM campaigns AS campaign
    JOIN organizations AS organization ON organization.organization_id = campaign.organization_id
    JOIN wallets AS wallet ON wallet.organization_id = campaign.organization_id
    WHERE campaign.status = 'active'`,
};

/** What the organization's numbers call through. $1 organization */
export const readCarriers = {
  name: "dial-carriers",
  text: "SELECT DISTINCT carrier FROM phone_numbers WHERE organization_id = $1",
};

/** When the first lead of a campaign comes due. $1 organization, $2 campaign */
export const readNextDue = {
  name: "dial-next-due",
  text: `
    SELECT extract(epoch FROM next_at)::float8 * 1000 AS next_at FROM dial_entries
    WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('waiting', 'blocked')
    ORDER BY dial_entries.next_at, lead_id LIMIT 1`,
};
