import { statesBefore } from "./delivery-states.ts";

const columns = `id, name, target_url, event_types, enabled, consecutive_failures, last_success_at, last_failure_at,
  disabled_reason, created_at`;

/** States are this code's own constants. Written out, so that the planner can prove the partial index of queued rows. */
const queued = statesBefore("subscription_gone")
  .map((state) => `'${state}'`)
  .join(", ");

/** $1 organization, $2 id, $3 name, $4 target, $5 event types, $6 secret, $7 now */
export const insertSubscription = {
  name: "webhook-insert",
  text: `
    INSERT INTO webhook_subscriptions
      (organization_id, id, name, target_url, event_types, secret, enabled, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, true, $7, $7)
    RETURNING ${columns}`,
};

export const readSubscription = {
  name: "webhook-read",
  text: `SELECT ${columns} FROM webhook_subscriptions WHERE organization_id = $1 AND id = $2`,
};

/** $1 organization, $2 limit, $3 offset */
export const listSubscriptions = {
  name: "webhooks-list",
  text: `SELECT ${columns} FROM webhook_subscriptions WHERE organization_id = $1
         ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
};

/**
 * Before any row of its deliveries is locked, here and in the dispatcher: the order that keeps both from waiting for
 * each other.
 */
export const lockSubscription = {
  name: "webhook-lock",
  text: `SELECT enabled FROM webhook_subscriptions WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

/** $3 name, $4 target, $5 event types, $6 enabled; null keeps what is stored. $7 now. Enabling resets the health. */
export const updateSubscription = {
  name: "webhook-update",
  text: `
    UPDATE webhook_subscriptions SET
      name = coalesce($3, name),
      target_url = coalesce($4, target_url),
      event_types = coalesce($5::text[], event_types),
      enabled = coalesce($6::boolean, enabled),
      consecutive_failures = CASE WHEN $6::boolean AND NOT enabled THEN 0 ELSE consecutive_failures END,
      disabled_reason = CASE WHEN $6::boolean THEN NULL ELSE disabled_reason END,
      updated_at = $7
    WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

export const deleteSubscription = {
  name: "webhook-delete",
  text: "DELETE FROM webhook_subscriptions WHERE organization_id = $1 AND id = $2",
};

/**
 * Discards queued deliveries of one subscription: $3 to this state, at $4, at most $5 (null: all). One whose attempt is
 * under way is left to its result. Not prepared: a plan made for an empty table would scan a full one.
 */
export const discardQueued = {
  text: `
    WITH queued AS MATERIALIZED (
      SELECT organization_id, id FROM webhook_deliveries
      WHERE organization_id = $1 AND subscription_id = $2 AND state IN (${queued})
        AND (lease_until IS NULL OR lease_until <= $4)
      ORDER BY next_attempt_at LIMIT $5
      FOR UPDATE SKIP LOCKED
    ), discarded AS (
      UPDATE webhook_deliveries AS delivery
      SET state = $3, finished_at = $4, next_attempt_at = NULL, lease_until = NULL, claim_id = NULL
      FROM queued WHERE delivery.organization_id = queued.organization_id AND delivery.id = queued.id
      RETURNING delivery.id
    )
    SELECT count(*)::int AS discarded FROM discarded`,
};
