/** @param name of letters, digits and `_` */
export const createDatabase = (name: string) => `CREATE DATABASE ${name}`;

/** With whatever is still connected. @param name of letters, digits and `_` */
export const dropDatabase = (name: string) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;

/** $1 organization, $2 campaign, $3 created at, $4 the leads as JSON */
export const insertLeads = {
  name: "simulation-insert-leads",
  text: `
    INSERT INTO leads (organization_id, id, phone_number, status, campaign_id, consent_source, consented_at, source_tag, created_at)
    SELECT $1, given.id, given.phone_number, 'new', $2, 'simulation', CASE WHEN given.consented THEN $3::timestamptz END, 'simulation', $3
    FROM json_to_recordset($4::json) AS given (id uuid, phone_number text, consented boolean)`,
};

/** $1 organization, $2 numbers, $3 now */
export const listNumbers = {
  name: "simulation-list-numbers",
  text: `
    INSERT INTO dnc_entries (organization_id, phone_number, reason, source, added_by, created_at)
    SELECT $1, phone_number, 'simulation', 'operator', 'simulation', $3 FROM unnest($2::text[]) AS phone_number
    ON CONFLICT (organization_id, phone_number) DO NOTHING`,
};

/** Plans that were made while these were small go by the wrong indexes; the server itself looks after it once a minute only. */
export const analyze = "ANALYZE leads, dial_entries, dnc_entries, dial_attempts, dial_verdicts, calls";

/**
 * The records of calls that are under way, as features/calls would make them, in one statement.
 * $1 organization, $2 campaign, $3 agent, $4 from, $5 owner, $6 leased until, $7 now, $8 the calls as JSON
 */
export const insertCalls = {
  name: "simulation-insert-calls",
  text: `
    INSERT INTO calls (organization_id, id, origin, medium, lead_id, campaign_id, agent_id, carrier, to_number, from_number, status,
      call_template, template_context, metadata, rate_per_minute, transcript_status, owner_id, lease_until, created_at)
    SELECT $1, given.id, 'campaign', 'phone', given.lead_id, $2, $3, 'simulated', given.to_number, $4, 'initiated', '{}', '{}', '{}', 0,
      'pending', $5, $6, $7
    FROM json_to_recordset($8::json) AS given (id uuid, lead_id uuid, to_number text)`,
};

/** $1 organization, $2 what is known of who answered, as JSON */
export const answerCalls = {
  name: "simulation-answer-calls",
  text: `
    UPDATE calls AS call SET status = 'in-progress', answered_by = given.answered_by, answered_at = given.answered_at
    FROM json_to_recordset($2::json) AS given (id uuid, answered_by text, answered_at timestamptz)
    WHERE call.organization_id = $1 AND call.id = given.id AND call.ended_at IS NULL`,
};

/** $1 organization, $2 how they ended, as JSON */
export const endCalls = {
  name: "simulation-end-calls",
  text: `
    UPDATE calls AS call SET status = given.status, call_outcome = given.outcome, answered_by = given.answered_by,
      answered_at = given.answered_at, ended_at = given.ended_at, cost_tokens = given.cost_tokens, transcript_status = 'unavailable'
    FROM json_to_recordset($2::json) AS given (id uuid, status text, outcome text, answered_by text, answered_at timestamptz,
      ended_at timestamptz, cost_tokens bigint)
    WHERE call.organization_id = $1 AND call.id = given.id`,
};

/** How many leads stand where in the end. $1 organization, $2 campaign */
export const countEntries = {
  name: "simulation-count-entries",
  text: `
    SELECT entry.state, lead.status, count(*)::int AS leads
    FROM dial_entries AS entry
    JOIN leads AS lead ON lead.organization_id = entry.organization_id AND lead.id = entry.lead_id
    WHERE entry.organization_id = $1 AND entry.campaign_id = $2
    GROUP BY entry.state, lead.status ORDER BY count(*) DESC`,
};

/** $1 organization, $2 campaign */
export const readStatus = {
  name: "simulation-campaign-status",
  text: "SELECT status FROM campaigns WHERE organization_id = $1 AND id = $2",
};
