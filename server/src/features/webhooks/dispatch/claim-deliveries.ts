import { type Database, timestamp } from "../../../database/database.ts";
import type { NewId } from "../../../ids.ts";
import type { DeliveryState } from "../delivery-states.ts";
import { arrayText } from "./array-text.ts";
import * as sql from "./dispatch.sql.ts";

/** How long a claimed delivery is this process's own: longer than an exchange's limit with time left to record it. */
const LEASE_MS = 30_000;

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
}

export interface Want {
  organizationId: string;
  subscriptionId: string;
  most: number;
  /** Leaves out what came due before this (ISO 8601); null: nothing. */
  dueFrom: string | null;
}

interface Row {
  place: number;
  id: string;
  event_id: string;
  state: DeliveryState;
  attempt: number;
  attempts_made: number;
  type: string | null;
  data: string;
  occurred_at: string;
}

interface Target {
  place: number;
  target_url: string;
  secret: string;
}

/** Leases due deliveries of these subscriptions, and returns each one's oldest first. */
export async function claimDeliveries(
  deps: { database: Database; newId: NewId },
  wants: readonly Want[],
  now: number,
): Promise<ClaimedDelivery[]> {
  const claimId = deps.newId();
  const leaseUntil = now + LEASE_MS;
  const organizations = arrayText(wants.map((want) => want.organizationId));
  const subscriptions = arrayText(wants.map((want) => want.subscriptionId));
  // Side by side: while many answers come in, waiting for a statement takes longer than the statement.
  const [targets, rows] = await Promise.all([
    deps.database.query<Target>({ ...sql.readTargets, values: [organizations, subscriptions] }),
    deps.database.query<Row>({
      ...sql.claim,
      values: [
        organizations,
        subscriptions,
        arrayText(wants.map((want) => want.most)),
        arrayText(wants.map((want) => want.dueFrom ?? "-infinity")),
        timestamp(now),
        timestamp(leaseUntil),
        claimId,
      ],
    }),
  ]);
  const targetAt = new Map(targets.map((target) => [target.place, target]));
  return rows.map((row) => {
    const want = wants[row.place - 1]!;
    const target = targetAt.get(row.place);
    return {
      organizationId: want.organizationId,
      id: row.id,
      eventId: row.event_id,
      subscriptionId: want.subscriptionId,
      claimId,
      leaseUntil,
      state: row.state,
      attempt: row.attempt,
      attemptsMade: row.attempts_made,
      content:
        target && row.type !== null
          ? {
              type: row.type,
              data: row.data,
              occurredAt: row.occurred_at,
              targetUrl: target.target_url,
              secret: target.secret,
            }
          : null,
    };
  });
}

/** Gives back what was claimed and not begun: another dispatcher, or this one later, may take it at once. */
export async function releaseDeliveries(
  deps: { database: Database },
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  await deps.database.query({
    ...sql.release,
    values: [
      arrayText(deliveries.map((delivery) => delivery.organizationId)),
      arrayText(deliveries.map((delivery) => delivery.id)),
      arrayText(deliveries.map((delivery) => delivery.claimId)),
    ],
  });
}
