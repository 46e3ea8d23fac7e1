import { nextDeliveryState, statesBefore } from "../delivery-states.ts";

/** States are this code's own constants. Written out, so that the planner can prove the partial index of queued rows. */
const queued = `state IN (${statesBefore("failed")
  .map((state) => `'${state}'`)
  .join(", ")})`;

/*
 * The dispatcher's statements run across organizations (a named exception), on connections of its own that have
 * `dispatcherSettings`.
 */

/**
 * Plans go by indexes: the planner can't know how few rows a claim takes (its limit is a column), or a prepared plan was
 * made when the table was empty, and the whole table is read: at 120,000 rows a claim of 500 took 160 ms instead of 8.
 * As the plans are always the same, none is made anew for each claim, which was a quarter of a millisecond of it.
 *
 * Commits don't wait for the disk, which took a quarter of the time. What a crash of the database takes back of claims
 * and results (its last half second) is sent again: no more than at-least-once allows, and no event is lost by it.
 */
export const dispatcherSettings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
  synchronous_commit: "off",
} as const;

/**
 * What there is to do, at $1: a row for each subscription with a due delivery, and one, without a subscription, that says
 * when the next thing comes due. Steps from subscription to subscription along the partial index of queued deliveries
 * (a loose index scan), so that its cost is the number of subscriptions, however many deliveries each has queued.
 * `enabled` is null for a deleted subscription.
 *
 * Of the leases only those on each subscription's oldest rows are looked at: work is claimed oldest first.
 */
export const findDue = {
  name: "dispatch-find-due",
  text: `
  WITH RECURSIVE subscription AS (
    (SELECT organization_id, subscription_id FROM webhook_deliveries
     WHERE ${queued} ORDER BY organization_id, subscription_id LIMIT 1)
    UNION ALL
    SELECT later.organization_id, later.subscription_id
    FROM subscription AS seen
    CROSS JOIN LATERAL (
      SELECT organization_id, subscription_id FROM webhook_deliveries
      WHERE ${queued} AND (organization_id, subscription_id) > (seen.organization_id, seen.subscription_id)
      ORDER BY organization_id, subscription_id LIMIT 1
    ) AS later
  ), looked AS MATERIALIZED (
    SELECT subscription.organization_id, subscription.subscription_id,
      (SELECT true FROM webhook_deliveries AS delivery
       WHERE delivery.organization_id = subscription.organization_id
         AND delivery.subscription_id = subscription.subscription_id
         AND ${queued} AND next_attempt_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
       ORDER BY next_attempt_at LIMIT 1) AS due,
      (SELECT next_attempt_at FROM webhook_deliveries AS delivery
       WHERE delivery.organization_id = subscription.organization_id
         AND delivery.subscription_id = subscription.subscription_id
         AND ${queued} AND next_attempt_at > $1
       ORDER BY next_attempt_at LIMIT 1) AS next_at,
      (SELECT min(lease_until) FROM (
         SELECT lease_until FROM webhook_deliveries AS delivery
         WHERE delivery.organization_id = subscription.organization_id
           AND delivery.subscription_id = subscription.subscription_id
           AND ${queued} AND next_attempt_at <= $1
         ORDER BY next_attempt_at LIMIT 16) AS oldest
       WHERE lease_until > $1) AS lease_ends_at
    FROM subscription
  )
  SELECT looked.organization_id, looked.subscription_id, webhook.enabled, webhook.consecutive_failures,
         NULL::timestamptz AS next_at
  FROM looked
  LEFT JOIN webhook_subscriptions AS webhook
    ON webhook.organization_id = looked.organization_id AND webhook.id = looked.subscription_id
  WHERE looked.due
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, min(least(next_at, lease_ends_at)) FROM looked`,
};

/** Whom to send to: $1 organizations, $2 ids; nothing for the disabled and the deleted. `place` is that in the arrays. */
export const readTargets = {
  name: "dispatch-read-targets",
  text: `
  SELECT wanted.place::int, webhook.target_url, webhook.secret
  FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (organization_id, id, place)
  JOIN webhook_subscriptions AS webhook
    ON webhook.organization_id = wanted.organization_id AND webhook.id = wanted.id
  WHERE webhook.enabled`,
};

/**
 * Leases due deliveries, oldest first: for each subscription ($1 organizations, $2 ids) at most $3 that came due at $4 or
 * later, at $5, until $6, with the claim id $7. `place` says for which; `type` is null when the event is gone. Rows that another
 * dispatcher is claiming right now are skipped, not waited for. A locked row stays where it is, so that the update finds it there.
 */
export const claim = {
  name: "dispatch-claim",
  text: `
  WITH due AS MATERIALIZED (
    SELECT wanted.place::int AS place, wanted.organization_id, found.*
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[]) WITH ORDINALITY
      AS wanted (organization_id, subscription_id, most, due_from, place)
    CROSS JOIN LATERAL (
      SELECT delivery.ctid AS place_in_table, delivery.event_id FROM webhook_deliveries AS delivery
      WHERE delivery.organization_id = wanted.organization_id AND delivery.subscription_id = wanted.subscription_id
        AND ${queued} AND next_attempt_at >= wanted.due_from AND next_attempt_at <= $5
        AND (lease_until IS NULL OR lease_until <= $5)
      ORDER BY next_attempt_at LIMIT wanted.most
      FOR UPDATE SKIP LOCKED
    ) AS found
  )
  UPDATE webhook_deliveries AS delivery SET lease_until = $6, claim_id = $7
  FROM due
  LEFT JOIN events AS event ON event.organization_id = due.organization_id AND event.id = due.event_id
  WHERE delivery.ctid = due.place_in_table
  RETURNING due.place, delivery.id, delivery.event_id, delivery.state, delivery.attempt, delivery.attempts_made,
    event.type, event.data::text AS data, event.occurred_at`,
};

/** Gives claimed deliveries back that no attempt was begun of: $1 organizations, $2 ids, $3 claim ids. */
export const release = {
  name: "dispatch-release",
  text: `
  UPDATE webhook_deliveries AS delivery SET lease_until = NULL, claim_id = NULL
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (organization_id, id, claim_id)
  WHERE delivery.organization_id = given.organization_id AND delivery.id = given.id
    AND delivery.claim_id = given.claim_id`,
};

/** $1 organizations, $2 ids. In one order, so that two dispatchers can't wait for each other. */
export const lockSubscriptions = {
  name: "dispatch-lock-subscriptions",
  text: `
  SELECT webhook.organization_id, webhook.id, webhook.enabled, webhook.consecutive_failures
  FROM webhook_subscriptions AS webhook
  JOIN unnest($1::uuid[], $2::uuid[]) AS wanted (organization_id, id)
    ON webhook.organization_id = wanted.organization_id AND webhook.id = wanted.id
  ORDER BY webhook.organization_id, webhook.id
  FOR NO KEY UPDATE OF webhook`,
};

/**
 * Records results: the deliveries' new states, the attempt of each that was made (which counts one more than before), and
 * the health of their subscriptions. Only what is still in the state and under the claim it was taken with changes: a result whose
 * lease was lost finds nothing.
 *
 * $1 organizations, $2 ids, $3 claim ids, $4 states before, $5 states after, $6 attempts of the round, $7 attempts ever,
 * $8 next attempts at, $9 finished at, $10 the attempts, each a line of JSON (cheaper by a sixth than one array of all), `null` for none;
 * subscriptions: $11 organizations, $12 ids, $13 enabled, $14 consecutive failures, $15 last success at, $16 last failure
 * at, $17 reason to be disabled, when that is new; $18 now
 */
export const recordResults = {
  name: "dispatch-record",
  text: `
  WITH result AS MATERIALIZED (
    SELECT * FROM ROWS FROM (
      unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::int[], $8::timestamptz[], $9::timestamptz[]),
      string_to_table($10, E'\\n')
    ) AS result (organization_id, id, claim_id, state_before, state, attempt, attempts_made, next_attempt_at, finished_at, logged)
  ), recorded AS (
    UPDATE webhook_deliveries AS delivery SET
      state = result.state, attempt = result.attempt, attempts_made = result.attempts_made,
      next_attempt_at = result.next_attempt_at, finished_at = result.finished_at, lease_until = NULL, claim_id = NULL,
      attempts = CASE WHEN result.attempts_made > delivery.attempts_made
                      THEN delivery.attempts || result.logged::json ELSE delivery.attempts END
    FROM result
    WHERE delivery.organization_id = result.organization_id AND delivery.id = result.id
      AND delivery.claim_id = result.claim_id AND delivery.state = result.state_before
    RETURNING delivery.organization_id, delivery.subscription_id
  ), counted AS (
    UPDATE webhook_subscriptions AS webhook SET
      enabled = health.enabled,
      consecutive_failures = health.consecutive_failures,
      last_success_at = greatest(webhook.last_success_at, health.last_success_at),
      last_failure_at = greatest(webhook.last_failure_at, health.last_failure_at),
      disabled_reason = coalesce(health.disabled_reason, webhook.disabled_reason),
      updated_at = CASE WHEN health.disabled_reason IS NULL THEN webhook.updated_at ELSE $18 END
    FROM unnest($11::uuid[], $12::uuid[], $13::boolean[], $14::int[], $15::timestamptz[], $16::timestamptz[], $17::text[])
      AS health (organization_id, id, enabled, consecutive_failures, last_success_at, last_failure_at, disabled_reason)
    WHERE webhook.organization_id = health.organization_id AND webhook.id = health.id
      AND EXISTS (SELECT FROM recorded WHERE recorded.organization_id = health.organization_id
                    AND recorded.subscription_id = health.id)
  )
  SELECT count(*)::int AS recorded FROM recorded`,
};

/**
 * Records successes, and that their subscriptions had one. A result whose lease was lost finds nothing, as above.
 *
 * The claims: $1 organizations, $2 claim ids. The deliveries: $3 the place of each one's claim in these (from 1), $4 ids, $5 when
 * the attempt ended, in milliseconds since the epoch, $6 the attempts, each a line of JSON. The subscriptions: $7 organizations,
 * $8 ids, $9 last success at. What is the same for every row isn't sent with each: reading arrays was a quarter of the statement.
 *
 * A row that is under a claim is queued. Saying so as well would let the planner look through the index of queued rows.
 */
export const recordSuccesses = {
  name: "dispatch-record-successes",
  text: `
  WITH result AS (
    SELECT * FROM ROWS FROM (
      unnest($3::int[], $4::uuid[], $5::float8[]),
      string_to_table($6, E'\n')
    ) AS result (claim, id, ended_at, logged)
  ), recorded AS (
    UPDATE webhook_deliveries AS delivery SET
      state = '${nextDeliveryState("pending", "succeeded")}', attempt = delivery.attempt + 1,
      attempts_made = delivery.attempts_made + 1, attempts = delivery.attempts || result.logged::json,
      next_attempt_at = NULL, finished_at = to_timestamp(result.ended_at / 1000), lease_until = NULL, claim_id = NULL
    FROM result
    WHERE delivery.organization_id = ($1::uuid[])[result.claim] AND delivery.id = result.id
      AND delivery.claim_id = ($2::uuid[])[result.claim]
    RETURNING delivery.organization_id, delivery.subscription_id
  ), counted AS (
    UPDATE webhook_subscriptions AS webhook SET
      consecutive_failures = 0, last_success_at = greatest(webhook.last_success_at, health.last_success_at)
    FROM unnest($7::uuid[], $8::uuid[], $9::timestamptz[]) AS health (organization_id, id, last_success_at)
    WHERE webhook.organization_id = health.organization_id AND webhook.id = health.id
      AND EXISTS (SELECT FROM recorded WHERE recorded.organization_id = health.organization_id
                    AND recorded.subscription_id = health.id)
  )
  SELECT count(*)::int AS recorded FROM recorded`,
};

/** Which of these claims are still held: $1 organizations, $2 ids, $3 claim ids. A row that is under a claim is queued. */
export const lockHeld = {
  name: "dispatch-lock-held",
  text: `
  SELECT delivery.id || ' ' || delivery.claim_id AS claim
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (organization_id, id, claim_id)
  JOIN webhook_deliveries AS delivery
    ON delivery.organization_id = given.organization_id AND delivery.id = given.id AND delivery.claim_id = given.claim_id
  FOR UPDATE OF delivery`,
};

/** When the oldest delivery that is due at $1 came due; null when none is. Cost: the number of subscriptions with any. */
export const oldestDue = {
  name: "dispatch-oldest-due",
  text: `
  WITH RECURSIVE subscription AS (
    (SELECT organization_id, subscription_id, next_attempt_at FROM webhook_deliveries
     WHERE ${queued} ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1)
    UNION ALL
    SELECT later.organization_id, later.subscription_id, later.next_attempt_at
    FROM subscription AS seen
    CROSS JOIN LATERAL (
      SELECT organization_id, subscription_id, next_attempt_at FROM webhook_deliveries
      WHERE ${queued} AND (organization_id, subscription_id) > (seen.organization_id, seen.subscription_id)
      ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1
    ) AS later
  )
  SELECT min(next_attempt_at) AS oldest_due_at FROM subscription WHERE next_attempt_at <= $1`,
};
