/** Holds the pacing of a campaign for the rest of the transaction. $1 organization, $2 campaign */
export const lockPacing = {
  name: "dial-lock-pacing",
  text: `
    SELECT bucket_tokens, extract(epoch FROM bucket_at)::float8 * 1000 AS bucket_at, dial_level, seats_ahead,
      extract(epoch FROM adapted_at)::float8 * 1000 AS adapted_at
    FROM campaign_pacing WHERE organization_id = $1 AND campaign_id = $2
    FOR UPDATE`,
};

/** Of an active campaign that has none yet. $1 organization, $2 campaign, $3 now */
export const insertPacing = {
  name: "dial-insert-pacing",
  text: `
    INSERT INTO campaign_pacing (organization_id, campaign_id, bucket_tokens, bucket_at, dial_level, adapted_at)
    SELECT organization_id, id, 1, $3, lines_per_seat, $3 FROM campaigns
    WHERE organization_id = $1 AND id = $2 AND status = 'active'
    ON CONFLICT (organization_id, campaign_id) DO NOTHING`,
};

/** $1 organization, $2 campaign, $3 tokens, $4 as of */
export const saveBucket = {
  name: "dial-save-bucket",
  text: `
    UPDATE campaign_pacing SET bucket_tokens = $3, bucket_at = $4
    WHERE organization_id = $1 AND campaign_id = $2`,
};

/**
 * The lines that are in use. `undialed` are attempts of the organization that aren't calls yet; the others are the campaign's: those
 * that may yet want a seat, those in one, and those that want none. $1 organization, $2 campaign
 */
export const countLines = {
  name: "dial-count-lines",
  text: `
    SELECT
      (SELECT count(*)::int FROM calls WHERE organization_id = $1 AND ended_at IS NULL) AS organization_live,
      (SELECT count(*)::int FROM dial_attempts
       WHERE organization_id = $1 AND state IN ('claimed', 'dialed') AND state = 'claimed') AS undialed,
      count(*) FILTER (WHERE call.answered_by IS NULL AND attempt.answered_at IS NULL)::int AS pending,
      count(*) FILTER (WHERE NOT attempt.abandoned AND (call.answered_by IN ('human', 'unknown') OR attempt.answered_at IS NOT NULL))::int
        AS talking,
      count(*) FILTER (WHERE call.answered_by = 'machine' OR attempt.abandoned)::int AS others
    FROM dial_attempts AS attempt
    LEFT JOIN calls AS call ON call.organization_id = attempt.organization_id AND call.id = attempt.id
    WHERE attempt.organization_id = $1 AND attempt.campaign_id = $2 AND attempt.state IN ('claimed', 'dialed')`,
};

/**
 * Attempts, in the order of their numbers, so that two claims of an organization can't wait for each other. Returns the ids of those
 * that weren't in anybody else's way. $1 organization, $2 campaign, $3 worker, $4 lease, $5 now, $6 the attempts as JSON
 */
export const insertAttempts = {
  name: "dial-insert-attempts",
  text: `
    INSERT INTO dial_attempts (organization_id, id, campaign_id, lead_id, phone_number, number, verdict_id, state, worker_id,
      lease_until, claimed_at)
    SELECT $1, given.id, $2, given.lead_id, given.phone_number, given.number, given.verdict_id, 'claimed', $3, $4, $5
    FROM json_to_recordset($6::json) AS given (id uuid, lead_id uuid, phone_number text, number int, verdict_id uuid)
    ORDER BY given.phone_number
    ON CONFLICT (organization_id, phone_number) WHERE state IN ('claimed', 'dialed') DO NOTHING
    RETURNING id`,
};

/** $1 organization, $2 campaign, $3 now, $4 the verdicts as JSON */
export const insertVerdicts = {
  name: "dial-insert-verdicts",
  text: `
    INSERT INTO dial_verdicts (organization_id, id, campaign_id, lead_id, call_id, allowed, reason, rule_id, rule_version, citation,
      zones, states, decided_at, next_allowed_at)
    SELECT $1, given.id, $2, given.lead_id, given.call_id, given.allowed, given.reason, given.rule_id, given.rule_version,
      given.citation, given.zones, given.states, $3, given.next_allowed_at
    FROM json_to_recordset($4::json) AS given (id uuid, lead_id uuid, call_id uuid, allowed boolean, reason text, rule_id text,
      rule_version int, citation text, zones jsonb, states text[], next_allowed_at timestamptz)`,
};

/** Entries that are locked. $1 organization, $2 campaign, $3 where they stand now, as JSON */
export const moveEntries = {
  name: "dial-move-entries",
  text: `
    UPDATE dial_entries AS entry SET state = given.state, next_at = coalesce(given.next_at, entry.next_at), due = given.due,
      verdict_reason = given.verdict_reason, verdict_rule = given.verdict_rule
    FROM json_to_recordset($3::json) AS given (lead_id uuid, state text, next_at timestamptz, due text, verdict_reason text,
      verdict_rule text)
    WHERE entry.organization_id = $1 AND entry.campaign_id = $2 AND entry.lead_id = given.lead_id`,
};

/** $1 organization, $2 campaign, $3 why nothing is dialed, or null */
export const setHalted = {
  name: "dial-set-halted",
  text: "UPDATE campaigns SET halted_because = $3 WHERE organization_id = $1 AND id = $2 AND status = 'active'",
};

/**
 * Plans go by indexes: a claim looks at few rows of large tables, which the planner can't know (its limit is a parameter), or a
 * prepared plan was made while the tables were empty.
 */
export const dialerSettings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
} as const;
