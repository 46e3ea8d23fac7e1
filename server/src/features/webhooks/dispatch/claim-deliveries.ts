import { type Database, timestamp } from "../../../database/database.ts";
import type { NewId } from "../../../ids.ts";
import type { DeliveryState } from "../delivery-states.ts";
import * as sql from "./dispatch.sql.ts";
import { withIndexPlans } from "./index-plans.ts";

/** How long a claimed delivery is this process's own: longer than an exchange's limit with time left to record it. */
export const LEASE_MS = 30_000;

/** A delivery that this process has leased. */
export interface ClaimedDelivery {
  organizationId: string;
  id: string;
  eventId: string;
  subscriptionId: string;
  claimId: string;
  /** Milliseconds since the epoch. */
  leaseUntil: number;
  state: DeliveryState;
  /** Attempts made in this round. */
  attempt: number;
  /** Attempts ever made. */
  attemptsMade: number;
  /** What to send and where to; null when the subscription is disabled or gone, or the event is gone. */
  content: DeliveryContent | null;
}

export interface DeliveryContent {
  type: string;
  /** The event's data, as JSON text. */
  data: string;
  occurredAt: string;
  targetUrl: string;
  secret: string;
  /** Of the subscription, when it was claimed. */
  consecutiveFailures: number;
}

export interface Want {
  organizationId: string;
  subscriptionId: string;
  most: number;
}

interface Row {
  organization_id: string;
  id: string;
  event_id: string;
  subscription_id: string;
  state: DeliveryState;
  attempt: number;
  attempts_made: number;
  type: string | null;
  data: string;
  occurred_at: string;
  enabled: boolean | null;
  target_url: string;
  secret: string;
  consecutive_failures: number;
}

/** Leases due deliveries of these subscriptions, oldest first. */
export async function claimDeliveries(
  deps: { database: Database; newId: NewId },
  wants: readonly Want[],
  now: number,
): Promise<ClaimedDelivery[]> {
  const claimId = deps.newId();
  const leaseUntil = now + LEASE_MS;
  const rows = await withIndexPlans(deps.database, (transaction) =>
    transaction.query<Row>({
      text: sql.claim,
      values: [
        wants.map((want) => want.organizationId),
        wants.map((want) => want.subscriptionId),
        wants.map((want) => want.most),
        timestamp(now),
        timestamp(leaseUntil),
        claimId,
      ],
    }),
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    id: row.id,
    eventId: row.event_id,
    subscriptionId: row.subscription_id,
    claimId,
    leaseUntil,
    state: row.state,
    attempt: row.attempt,
    attemptsMade: row.attempts_made,
    content:
      row.enabled && row.type !== null
        ? {
            type: row.type,
            data: row.data,
            occurredAt: row.occurred_at,
            targetUrl: row.target_url,
            secret: row.secret,
            consecutiveFailures: row.consecutive_failures,
          }
        : null,
  }));
}

/** Gives back what was claimed and not begun: another dispatcher, or this one later, may take it at once. */
export async function releaseDeliveries(
  deps: { database: Database },
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  await deps.database.query({
    text: sql.release,
    values: [
      deliveries.map((delivery) => delivery.organizationId),
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.claimId),
    ],
  });
}
