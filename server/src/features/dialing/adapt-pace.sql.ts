/**
 * The people who answered, those abandoned included, those who are talking left out. $1 organization, $2 campaign, $3 since when
 */
export const countAbandoned = {
  name: "dial-count-abandoned",
  text: `
    SELECT (settled.people + live.abandoned)::int AS answered, (settled.abandoned + live.abandoned)::int AS abandoned
    FROM (
      SELECT count(*) AS people, count(*) FILTER (WHERE abandoned) AS abandoned FROM dial_attempts
      WHERE organization_id = $1 AND campaign_id = $2 AND state = 'settled' AND answered_by IN ('human', 'unknown')
        AND settled_at > $3
    ) AS settled, (
      SELECT count(*) FILTER (WHERE abandoned) AS abandoned FROM dial_attempts
      WHERE organization_id = $1 AND campaign_id = $2 AND state IN ('claimed', 'dialed')
    ) AS live`,
};

/** How the lines dialed since then fared: those that are over, and those that a person talks in, lest answers seem fewer than they are. Times are milliseconds. $1 organization, $2 campaign, $3 since when */
export const readRecent = {
  name: "dial-read-recent",
  text: `
    SELECT count(*)::int AS dialed,
      count(*) FILTER (WHERE answered_by IN ('human', 'unknown'))::int AS people,
      avg(extract(epoch FROM answered_at - dialed_at) * 1000) FILTER (WHERE answered_by IN ('human', 'unknown'))::float8 AS answer_ms,
      avg(extract(epoch FROM settled_at - answered_at) * 1000)
        FILTER (WHERE answered_by IN ('human', 'unknown') AND NOT abandoned)::float8 AS talk_ms
    FROM dial_attempts
    WHERE organization_id = $1 AND campaign_id = $2 AND claimed_at > $3 AND dialed_at IS NOT NULL
      AND (state = 'settled' OR answered_at IS NOT NULL)`,
};

/** $1 organization, $2 campaign, $3 lines per seat, $4 share of seats, $5 now */
export const savePace = {
  name: "dial-save-pace",
  text: `
    UPDATE campaign_pacing SET dial_level = $3, seats_ahead = $4, adapted_at = $5
    WHERE organization_id = $1 AND campaign_id = $2`,
};
