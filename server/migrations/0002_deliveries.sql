-- One delivery per event and subscription holds by construction: an event's deliveries are inserted by the statement
-- that inserts the event, one for each subscription. Checking it cost every delivery a tenth, twice: when it is queued
-- and when its result is recorded.
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_organization_id_event_id_subscription_id_key;

-- A delivery's attempts are part of it, in the order they were made: rows of their own, with an index, cost each delivery
-- a fifth. { number, attempt, started_at, duration_ms, status_code, error, response_excerpt }
ALTER TABLE webhook_deliveries ADD COLUMN attempts json[] NOT NULL DEFAULT '{}';
UPDATE webhook_deliveries AS delivery SET attempts = logged.attempts
FROM (
  SELECT organization_id, delivery_id, array_agg(
    json_build_object(
      'number', number, 'attempt', attempt,
      'started_at', to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'duration_ms', duration_ms, 'status_code', status_code, 'error', error, 'response_excerpt', response_excerpt)
    ORDER BY number) AS attempts
  FROM webhook_attempts GROUP BY organization_id, delivery_id
) AS logged
WHERE delivery.organization_id = logged.organization_id AND delivery.id = logged.delivery_id;
DROP TABLE webhook_attempts;
