import type { Statement } from "../../database/database.ts";
import { type DeliveryState, nextDeliveryState, statesBefore } from "./delivery-states.ts";

const columns = `delivery.id, delivery.event_id, event.type AS event_type, delivery.subscription_id, delivery.state,
  delivery.attempt, delivery.attempts_made, delivery.next_attempt_at, delivery.created_at, delivery.finished_at,
  delivery.attempts`;

const withEvent = `
  LEFT JOIN events AS event
    ON event.organization_id = delivery.organization_id AND event.id = delivery.event_id`;

const replayable = statesBefore("replayed")
  .map((state) => `'${state}'`)
  .join(", ");

export interface DeliveryFilter {
  subscriptionId?: string | undefined;
  state?: DeliveryState | undefined;
}

/**
 * Newest first. A delivery's id is made of its `created_at`, to the millisecond, so that its order is the order of
 * `created_at, id` and the primary key serves the page: no further index has to be kept on the hottest table of writes.
 */
export function listDeliveries(
  organizationId: string,
  filter: DeliveryFilter,
  limit: number,
  offset: number,
): Statement {
  const values: unknown[] = [organizationId, limit, offset];
  const where = ["organization_id = $1"];
  if (filter.subscriptionId !== undefined)
    where.push(`subscription_id = $${values.push(filter.subscriptionId)}`);
  if (filter.state !== undefined) where.push(`state = $${values.push(filter.state)}`);
  return {
    text: `
      SELECT ${columns}
      FROM (
        SELECT * FROM webhook_deliveries WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT $2 OFFSET $3
      ) AS delivery ${withEvent}
      ORDER BY delivery.id DESC`,
    values,
  };
}

export const readDelivery = {
  name: "delivery-read",
  text: `
    SELECT ${columns}, event.data AS event_data, event.occurred_at AS event_occurred_at
    FROM webhook_deliveries AS delivery ${withEvent}
    WHERE delivery.organization_id = $1 AND delivery.id = $2`,
};

const newRound = `state = '${nextDeliveryState("dead_letter", "replayed")}', attempt = 0, finished_at = NULL,
  lease_until = NULL, claim_id = NULL`;

/** $1 organization, $2 delivery, $3 now. No row: its state doesn't allow it. */
export const replayDelivery = {
  name: "delivery-replay",
  text: `
    UPDATE webhook_deliveries SET ${newRound}, next_attempt_at = $3
    WHERE organization_id = $1 AND id = $2 AND state IN (${replayable})
    RETURNING id`,
};

/** $1 organization, $2 subscription, $3 now, $4 only those that were dead by then, $5 at most. Oldest first. */
export const replayDeadLetters = {
  text: `
    WITH dead AS MATERIALIZED (
      SELECT organization_id, id FROM webhook_deliveries
      WHERE organization_id = $1 AND subscription_id = $2 AND state = 'dead_letter' AND finished_at <= $4
      ORDER BY id LIMIT $5
      FOR UPDATE SKIP LOCKED
    ), replayed AS (
      UPDATE webhook_deliveries AS delivery SET ${newRound}, next_attempt_at = $3
      FROM dead WHERE delivery.organization_id = dead.organization_id AND delivery.id = dead.id
      RETURNING delivery.id
    )
    SELECT count(*)::int AS replayed FROM replayed`,
};

/** $1 organization, $2 subscription, $3 event, $4 type, $5 data, $6 now */
export const queueForOne = {
  name: "delivery-queue-for-one",
  text: `
    WITH recorded AS (
      INSERT INTO events (organization_id, id, type, data, occurred_at) VALUES ($1, $3, $4, $5, $6)
    )
    INSERT INTO webhook_deliveries
      (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at)
    VALUES ($1, uuid_v7_at((extract(epoch FROM $6::timestamptz) * 1000)::bigint), $3, $2, 'pending', $6, $6)
    RETURNING id`,
};

/** Live deliveries and dead letters by state, each counted up to $1: both have an index of their own. */
export const countDeliveries = {
  text: `
    SELECT state, count(*)::int AS count
    FROM (SELECT state FROM webhook_deliveries WHERE state IN ('pending', 'retrying') LIMIT $1) AS queued GROUP BY state
    UNION ALL
    SELECT 'dead_letter', count(*)::int
    FROM (SELECT FROM webhook_deliveries WHERE state = 'dead_letter' LIMIT $1) AS dead`,
};
