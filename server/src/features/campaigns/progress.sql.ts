/** $1 organization, $2 campaign */
export const countEntries = {
  name: "progress-entries",
  text: `
    SELECT state, count(*)::int AS count, min(next_at) FILTER (WHERE state = 'waiting') AS next_due_at
    FROM dial_entries WHERE organization_id = $1 AND campaign_id = $2 GROUP BY state`,
};

/** Attempts that were dialed, by what became of them; null: nothing yet. $1 organization, $2 campaign */
export const countOutcomes = {
  name: "progress-outcomes",
  text: `
    SELECT
      outcome,
      count(*)::int AS count,
      count(*) FILTER (WHERE state = 'settled')::int AS settled,
      count(*) FILTER (
        WHERE state = 'settled' AND answered_at IS NOT NULL AND answered_by IS DISTINCT FROM 'machine'
      )::int AS settled_by_person,
      count(*) FILTER (WHERE answered_at IS NOT NULL AND answered_by IS DISTINCT FROM 'machine')::int AS by_person,
      count(*) FILTER (WHERE answered_at IS NOT NULL AND answered_by = 'machine')::int AS by_machine,
      coalesce(sum(cost_tokens), 0)::bigint AS cost_tokens
    FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('dialed', 'settled')
    GROUP BY outcome ORDER BY count(*) DESC, outcome`,
};

/** $1 organization, $2 campaign, $3 thirty days ago */
export const countAbandoned = {
  name: "progress-abandoned",
  text: `
    SELECT count(*) FILTER (WHERE abandoned)::int AS abandoned, count(*)::int AS answered
    FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND claimed_at > $3 AND state IN ('dialed', 'settled')
      AND answered_at IS NOT NULL AND answered_by IS DISTINCT FROM 'machine'`,
};

/** By hour, the latest first; hours without an attempt are left out. $1 organization, $2 campaign, $3 a day ago */
export const countHours = {
  name: "progress-hours",
  text: `
    SELECT date_bin('1 hour', claimed_at, '2000-01-01T00:00:00Z') AS hour, count(*)::int AS attempts,
      count(*) FILTER (WHERE answered_at IS NOT NULL AND answered_by IS DISTINCT FROM 'machine')::int AS answered
    FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND claimed_at > $3 AND state IN ('dialed', 'settled')
    GROUP BY hour ORDER BY hour DESC`,
};

/** $1 organization, $2 campaign */
export const countLive = {
  name: "progress-live",
  text: `
    SELECT count(*)::int AS live FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('claimed', 'dialed')`,
};

/** $1 organization, $2 campaign, $3 since when */
export const countSince = {
  name: "progress-since",
  text: `
    SELECT count(*)::int AS attempts FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND claimed_at > $3 AND state IN ('dialed', 'settled')`,
};
