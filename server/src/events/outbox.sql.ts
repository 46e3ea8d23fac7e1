/**
 * The two data-modifying parts that every statement which reports a change ends with: the events, and one delivery for
 * each enabled subscription that wants them. Expects a relation `reported (organization_id, event_id, type, data, occurred_at)`.
 */
export const outboxParts = `
  recorded_events AS (
    INSERT INTO events (organization_id, id, type, data, occurred_at)
    SELECT organization_id, event_id, type, data, occurred_at FROM reported
  ),
  queued_deliveries AS (
    INSERT INTO webhook_deliveries
      (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at)
    SELECT reported.organization_id,
           uuid_v7_at((extract(epoch FROM reported.occurred_at) * 1000)::bigint),
           reported.event_id, subscription.id, 'pending', reported.occurred_at, reported.occurred_at
    FROM reported
    JOIN webhook_subscriptions AS subscription
      ON subscription.organization_id = reported.organization_id
     AND subscription.enabled
     AND (subscription.event_types && ARRAY[reported.type, '*'])
    RETURNING organization_id
  )`;

/** $1 organization ids, $2 event ids, $3 types, $4 data, $5 occurred at */
export const recordEvents = {
  name: "outbox-record",
  text: `
    WITH reported AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::json[], $5::timestamptz[])
        AS input (organization_id, event_id, type, data, occurred_at)
    ), ${outboxParts}
    SELECT count(*)::int AS queued FROM queued_deliveries`,
};
