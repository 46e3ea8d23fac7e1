import { type Database, type Transaction, timestamp } from "../../../database/database.ts";
import type { DeliveryOutcome } from "../delivery/index.ts";
import {
  AUTO_DISABLED,
  type DeliveryState,
  type DeliveryTrigger,
  FAILURES_THAT_DISABLE,
  nextAttemptAt,
  nextDeliveryState,
} from "../delivery-states.ts";
import { discardQueued } from "../discard-queued.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import * as sql from "./dispatch.sql.ts";
import { withIndexPlans } from "./index-plans.ts";

/** What came of a claimed delivery. */
export interface DeliveryResult {
  delivery: ClaimedDelivery;
  /** Null: it was not sent, because its subscription is disabled or gone. */
  attempt: { outcome: DeliveryOutcome; startedAt: number; endedAt: number } | null;
}

interface Health {
  organizationId: string;
  id: string;
  enabled: boolean;
  consecutiveFailures: number;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  disabledReason: string | null;
}

export interface RecordedBatch {
  /** Fewer than were given when the lease of some was lost. */
  recorded: number;
  /** The subscriptions that these results disabled. */
  disabled: { organizationId: string; id: string }[];
}

/** A backlog larger than this is discarded in portions: the results of other subscriptions don't wait for it. */
const DISCARDED_AT_ONCE = 1_000;

/**
 * Records results, in the order in which they came, with all that follows from them, in one commit: the deliveries' next
 * states, the log's attempts, the subscriptions' health, and their disabling. A result whose lease was lost to another
 * dispatcher leaves no trace.
 */
export async function recordResults(
  deps: { database: Database },
  results: readonly DeliveryResult[],
  now: number,
): Promise<RecordedBatch> {
  try {
    return await withIndexPlans(deps.database, (transaction) => recordAll(transaction, results, now));
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    // Rare, so that the usual batch need not read its rows before it writes them.
    return withIndexPlans(deps.database, async (transaction) => {
      const held = await transaction.query<{ claim: string }>({
        text: sql.lockHeld,
        values: claimColumns(results),
      });
      const claims = new Set(held.map(({ claim }) => claim));
      const kept = results.filter(({ delivery }) => claims.has(`${delivery.id} ${delivery.claimId}`));
      return kept.length > 0 ? recordAll(transaction, kept, now) : { recorded: 0, disabled: [] };
    });
  }
}

class LeaseLost extends Error {}

async function recordAll(
  transaction: Transaction,
  results: readonly DeliveryResult[],
  now: number,
): Promise<RecordedBatch> {
  const healths = await lockHealths(transaction, results);
  const next = results.map((result) => decide(result, healths.get(subscriptionKey(result.delivery))));
  const [written] = await transaction.query<{ recorded: number }>({
    text: sql.recordResults,
    values: [...resultColumns(results, next, now), ...healthColumns([...healths.values()]), timestamp(now)],
  });
  if (written!.recorded < results.length) throw new LeaseLost();
  const disabled = [...healths.values()].filter((health) => health.disabledReason !== null);
  for (const { organizationId, id } of disabled) {
    await discardQueued(transaction, { organizationId, id }, now, DISCARDED_AT_ONCE);
  }
  return { recorded: written!.recorded, disabled };
}

async function lockHealths(
  transaction: Transaction,
  results: readonly DeliveryResult[],
): Promise<Map<string, Health>> {
  const wanted = new Map(results.map(({ delivery }) => [subscriptionKey(delivery), delivery]));
  const locked = await transaction.query<{
    organization_id: string;
    id: string;
    enabled: boolean;
    consecutive_failures: number;
  }>({
    text: sql.lockSubscriptions,
    values: [
      [...wanted.values()].map((delivery) => delivery.organizationId),
      [...wanted.values()].map((delivery) => delivery.subscriptionId),
    ],
  });
  return new Map(
    locked.map((row): [string, Health] => [
      `${row.organization_id} ${row.id}`,
      {
        organizationId: row.organization_id,
        id: row.id,
        enabled: row.enabled,
        consecutiveFailures: row.consecutive_failures,
        lastSuccessAt: null,
        lastFailureAt: null,
        disabledReason: null,
      },
    ]),
  );
}

interface Next {
  state: DeliveryState;
  nextAttemptAt: number | null;
}

/** The delivery's next state; the attempt counts in its subscription's health. */
function decide({ delivery, attempt }: DeliveryResult, health: Health | undefined): Next {
  const to = (trigger: DeliveryTrigger): Next => ({
    state: nextDeliveryState(delivery.state, trigger),
    nextAttemptAt: null,
  });
  if (!attempt) return to("subscription_gone");
  const { outcome, endedAt } = attempt;
  if (health) count(health, outcome.ok, endedAt);
  if (outcome.ok) return to("succeeded");
  if (outcome.permanent) return to("target_refused");
  const dueAt = nextAttemptAt(delivery.attempt + 1, endedAt);
  if (dueAt === null) return to("exhausted");
  if (!health?.enabled) return to("subscription_gone");
  return { ...to("failed"), nextAttemptAt: dueAt };
}

function count(health: Health, ok: boolean, endedAt: number): void {
  if (ok) {
    health.consecutiveFailures = 0;
    health.lastSuccessAt = endedAt;
    return;
  }
  health.consecutiveFailures += 1;
  health.lastFailureAt = endedAt;
  if (health.enabled && health.consecutiveFailures >= FAILURES_THAT_DISABLE) {
    health.enabled = false;
    health.disabledReason = AUTO_DISABLED;
  }
}

function resultColumns(results: readonly DeliveryResult[], next: readonly Next[], now: number): unknown[][] {
  const instant = (milliseconds: number | null | undefined) =>
    milliseconds === null || milliseconds === undefined ? null : timestamp(milliseconds);
  const attempted = results.map(({ attempt }) => (attempt ? 1 : 0));
  return [
    ...claimColumns(results),
    results.map(({ delivery }) => delivery.state),
    next.map(({ state }) => state),
    results.map(({ delivery }, index) => delivery.attempt + attempted[index]!),
    results.map(({ delivery }, index) => delivery.attemptsMade + attempted[index]!),
    next.map(({ nextAttemptAt }) => instant(nextAttemptAt)),
    results.map(({ attempt }, index) =>
      next[index]!.nextAttemptAt === null ? instant(attempt?.endedAt ?? now) : null,
    ),
    results.map(({ attempt }) => instant(attempt?.startedAt)),
    results.map(({ attempt }) => attempt?.outcome.durationMs ?? null),
    results.map(({ attempt }) => attempt?.outcome.status ?? null),
    results.map(({ attempt }) => attempt?.outcome.error ?? null),
    results.map(({ attempt }) => attempt?.outcome.responseExcerpt ?? null),
  ];
}

function claimColumns(results: readonly DeliveryResult[]): unknown[][] {
  return [
    results.map(({ delivery }) => delivery.organizationId),
    results.map(({ delivery }) => delivery.id),
    results.map(({ delivery }) => delivery.claimId),
  ];
}

function healthColumns(healths: readonly Health[]): unknown[][] {
  const instant = (milliseconds: number | null) => (milliseconds === null ? null : timestamp(milliseconds));
  return [
    healths.map((health) => health.organizationId),
    healths.map((health) => health.id),
    healths.map((health) => health.enabled),
    healths.map((health) => health.consecutiveFailures),
    healths.map((health) => instant(health.lastSuccessAt)),
    healths.map((health) => instant(health.lastFailureAt)),
    healths.map((health) => health.disabledReason),
  ];
}

function subscriptionKey(delivery: ClaimedDelivery): string {
  return `${delivery.organizationId} ${delivery.subscriptionId}`;
}
