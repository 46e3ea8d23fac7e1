/** What concerns all leads of a campaign. $1 organization, $2 campaign */
export const readTerms = {
  name: "dial-terms",
  text: `
    SELECT campaign.status, campaign.dialer_mode, campaign.concurrency, campaign.calls_per_second, campaign.lines_per_seat,
      campaign.max_attempts, campaign.window_start, campaign.window_end, campaign.days, campaign.retry_minutes,
      campaign.require_consent, campaign.halted_because, campaign.assigned_ai_agent_id AS agent_id,
      agent.call_template IS NOT NULL AS has_template,
      organization.status AS organization_status, organization.sandbox, organization.voice_enabled,
      organization.concurrency_limit, organization.phone_rate_per_minute, organization.daily_attempt_cap,
      coalesce(wallet.balance, 0) AS balance, coalesce(wallet.held, 0) AS held,
      EXISTS (SELECT FROM phone_numbers AS number WHERE number.organization_id = $1) AS has_caller_id
    FROM campaigns AS campaign
    JOIN organizations AS organization ON organization.organization_id = campaign.organization_id
    LEFT JOIN wallets AS wallet ON wallet.organization_id = campaign.organization_id
    LEFT JOIN agents AS agent
      ON agent.organization_id = campaign.organization_id AND agent.id = campaign.assigned_ai_agent_id
    WHERE campaign.organization_id = $1 AND campaign.id = $2`,
};

const ENTRY_COLUMNS =
  "lead_id, phone_number, state, next_at, attempts, network_failures, lead_status, due, verdict_reason, verdict_rule";

/**
 * What a verdict on each of these entries depends on, beside the terms. A look at an entry is a handful of index probes: each is
 * a lateral that can't be merged into a join over whole tables.
 * $1 organization, $3 now, $4 a day before
 * @param entries a query for the entries of one campaign, with all their columns
 */
function factsOf(entries: string): string {
  return `
    WITH entry AS MATERIALIZED (${entries})
    SELECT entry.lead_id, entry.phone_number, entry.state, extract(epoch FROM entry.next_at)::float8 * 1000 AS next_at,
      entry.attempts, entry.network_failures, entry.lead_status AS written_status, entry.due, entry.verdict_reason,
      entry.verdict_rule, lead.status AS lead_status, lead.here, lead.consented,
      EXISTS (SELECT FROM dnc_entries AS dnc WHERE dnc.organization_id = $1 AND dnc.phone_number = entry.phone_number) AS on_dnc,
      coalesce(recent.live, false) OR EXISTS (
        SELECT FROM dial_attempts AS attempt
        WHERE attempt.organization_id = $1 AND attempt.phone_number = entry.phone_number AND attempt.state IN ('claimed', 'dialed')
      ) AS in_flight,
      coalesce(recent.attempts, '{}') AS recent_attempts
    FROM entry
    CROSS JOIN LATERAL (
      SELECT lead.status, lead.campaign_id IS NOT DISTINCT FROM $2 AS here, lead.consented_at IS NOT NULL AS consented
      FROM leads AS lead WHERE lead.organization_id = $1 AND lead.id = entry.lead_id
      OFFSET 0
    ) AS lead
    CROSS JOIN LATERAL (
      SELECT bool_or(call.ended_at IS NULL) AS live,
        array_agg(extract(epoch FROM call.created_at)::float8 * 1000) FILTER (
          WHERE call.origin <> 'inbound' AND NOT EXISTS (
            SELECT FROM dial_attempts AS undialed
            WHERE undialed.organization_id = $1 AND undialed.id = call.id AND undialed.state = 'dropped')
        ) AS attempts
      FROM calls AS call
      WHERE call.organization_id = $1 AND call.to_number = entry.phone_number AND call.medium = 'phone' AND call.created_at > $4
    ) AS recent
    ORDER BY entry.next_at, entry.lead_id`;
}

/** Locks due entries, oldest first, and skips what somebody else is at. $1 organization, $2 campaign, $3 now, $4 a day before, $5 how many */
export const lockDue = {
  name: "dial-lock-due",
  text: factsOf(`
    SELECT ${ENTRY_COLUMNS} FROM dial_entries
    WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('waiting', 'blocked') AND next_at <= $3
    ORDER BY next_at, lead_id LIMIT $5
    FOR UPDATE SKIP LOCKED`),
};

/** Reads entries of any state by their leads' ids. $1 organization, $2 campaign, $3 behind this lead, $4 a day before, $5 how many */
export const readEntries = {
  name: "dial-read-entries",
  text: factsOf(`
    SELECT ${ENTRY_COLUMNS} FROM dial_entries
    WHERE organization_id = $1 AND campaign_id = $2 AND lead_id > $3
    ORDER BY lead_id LIMIT $5`),
};
