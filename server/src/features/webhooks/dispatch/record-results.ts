import { type Database, type Transaction, timestamp } from "../../../database/database.ts";
import type { DeliveryAttemptRecord } from "../deliveries.schema.ts";
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
import { arrayText } from "./array-text.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import * as sql from "./dispatch.sql.ts";

/** What came of a claimed delivery. */
export interface DeliveryResult {
  delivery: ClaimedDelivery;
  /** Null: it was not sent, because its subscription is disabled or gone. */
  attempt: { outcome: DeliveryOutcome; startedAt: number; endedAt: number } | null;
}

type SuccessfulResult = DeliveryResult & { attempt: NonNullable<DeliveryResult["attempt"]> };

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
  /** The subscriptions that these results disabled. */
  disabled: { organizationId: string; id: string }[];
}

/** A backlog larger than this is discarded in portions: the results of other subscriptions don't wait for it. */
const DISCARDED_AT_ONCE = 1_000;

/**
 * Records results, in the order in which they came, with all that follows from them, in one commit for each subscription
 * at least: the deliveries' next states, the log's attempts, the subscriptions' health, and their disabling. A result
 * whose lease was lost to another dispatcher leaves no trace.
 */
export async function recordResults(
  deps: { database: Database },
  results: readonly DeliveryResult[],
  now: number,
): Promise<RecordedBatch> {
  const failing = new Set(results.filter((result) => !succeeded(result)).map(keyOf));
  const successes = results
    .filter(succeeded)
    .filter((result) => failing.size === 0 || !failing.has(keyOf(result)));
  if (successes.length > 0) await recordSuccesses(deps.database, successes);
  if (successes.length === results.length) return { disabled: [] };
  const others = results.filter((result) => failing.has(keyOf(result)));
  try {
    return await deps.database.transaction((transaction) => recordDecided(transaction, others, now));
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    // Rare, so that the usual batch need not read its rows before it writes them.
    return deps.database.transaction(async (transaction) => {
      const held = await transaction.query<{ claim: string }>({
        ...sql.lockHeld,
        values: claimColumns(others),
      });
      const claims = new Set(held.map(({ claim }) => claim));
      const kept = others.filter(({ delivery }) => claims.has(`${delivery.id} ${delivery.claimId}`));
      return kept.length > 0 ? recordDecided(transaction, kept, now) : { disabled: [] };
    });
  }
}

/** One statement: nothing that a success leads to depends on what the subscription was before it. */
async function recordSuccesses(database: Database, results: readonly SuccessfulResult[]): Promise<void> {
  const claims = new Map<string, { organizationId: string; claimId: string; place: number }>();
  const subscriptions = new Map<string, { organizationId: string; id: string; lastSuccessAt: number }>();
  const places = results.map((result) => {
    const { delivery, attempt } = result;
    const { organizationId, subscriptionId: id, claimId } = delivery;
    const claimKey = `${organizationId} ${claimId}`;
    let claim = claims.get(claimKey);
    if (!claim) {
      claim = { organizationId, claimId, place: claims.size + 1 };
      claims.set(claimKey, claim);
    }
    const subscription = subscriptions.get(keyOf(result));
    const lastSuccessAt = Math.max(subscription?.lastSuccessAt ?? 0, attempt.endedAt);
    if (subscription) subscription.lastSuccessAt = lastSuccessAt;
    else subscriptions.set(keyOf(result), { organizationId, id, lastSuccessAt });
    return claim.place;
  });
  const claimed = [...claims.values()];
  // In one order, so that two dispatchers can't wait for each other.
  const healths = [...subscriptions.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const instant = instants();
  await database.query({
    ...sql.recordSuccesses,
    values: [
      arrayText(claimed.map(({ organizationId }) => organizationId)),
      arrayText(claimed.map(({ claimId }) => claimId)),
      arrayText(places),
      arrayText(results.map(({ delivery }) => delivery.id)),
      arrayText(results.map(({ attempt }) => attempt.endedAt)),
      loggedLines(results, instant),
      arrayText(healths.map(({ organizationId }) => organizationId)),
      arrayText(healths.map(({ id }) => id)),
      arrayText(healths.map(({ lastSuccessAt }) => instant(lastSuccessAt))),
    ],
  });
}

class LeaseLost extends Error {}

async function recordDecided(
  transaction: Transaction,
  results: readonly DeliveryResult[],
  now: number,
): Promise<RecordedBatch> {
  const healths = await lockHealths(transaction, results);
  const next = results.map((result) => decide(result, healths.get(keyOf(result))));
  const [written] = await transaction.query<{ recorded: number }>({
    ...sql.recordResults,
    values: [...resultColumns(results, next, now), ...healthColumns([...healths.values()]), timestamp(now)],
  });
  if (written!.recorded < results.length) throw new LeaseLost();
  const disabled = [...healths.values()].filter((health) => health.disabledReason !== null);
  for (const { organizationId, id } of disabled) {
    await discardQueued(transaction, { organizationId, id }, now, DISCARDED_AT_ONCE);
  }
  return { disabled };
}

async function lockHealths(
  transaction: Transaction,
  results: readonly DeliveryResult[],
): Promise<Map<string, Health>> {
  const wanted = new Map(results.map((result) => [keyOf(result), result.delivery]));
  const locked = await transaction.query<{
    organization_id: string;
    id: string;
    enabled: boolean;
    consecutive_failures: number;
  }>({
    ...sql.lockSubscriptions,
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
        ...untouched,
        consecutiveFailures: row.consecutive_failures,
      },
    ]),
  );
}

const untouched = { consecutiveFailures: 0, lastSuccessAt: null, lastFailureAt: null, disabledReason: null };

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

function resultColumns(results: readonly DeliveryResult[], next: readonly Next[], now: number): unknown[] {
  const instant = instants();
  const attempted = results.map(({ attempt }) => (attempt ? 1 : 0));
  return [
    ...claimColumns(results),
    arrayText(results.map(({ delivery }) => delivery.state)),
    arrayText(next.map(({ state }) => state)),
    arrayText(results.map(({ delivery }, index) => delivery.attempt + attempted[index]!)),
    arrayText(results.map(({ delivery }, index) => delivery.attemptsMade + attempted[index]!)),
    arrayText(next.map(({ nextAttemptAt }) => instant(nextAttemptAt))),
    arrayText(
      results.map(({ attempt }, index) =>
        next[index]!.nextAttemptAt === null ? instant(attempt?.endedAt ?? now) : null,
      ),
    ),
    loggedLines(results, instant),
  ];
}

function loggedLines(results: readonly DeliveryResult[], instant: Instant): string {
  return results.map((result) => JSON.stringify(loggedAttempt(result, instant))).join("\n");
}

/** As the log shows it. */
function loggedAttempt(
  { delivery, attempt }: DeliveryResult,
  instant: Instant,
): DeliveryAttemptRecord | null {
  if (!attempt) return null;
  const { outcome, startedAt } = attempt;
  return {
    number: delivery.attemptsMade + 1,
    attempt: delivery.attempt + 1,
    started_at: instant(startedAt)!,
    duration_ms: outcome.durationMs,
    status_code: outcome.status,
    error: outcome.error,
    response_excerpt: outcome.responseExcerpt,
  };
}

function claimColumns(results: readonly DeliveryResult[]): string[] {
  return [
    arrayText(results.map(({ delivery }) => delivery.organizationId)),
    arrayText(results.map(({ delivery }) => delivery.id)),
    arrayText(results.map(({ delivery }) => delivery.claimId)),
  ];
}

function healthColumns(healths: readonly Health[]): unknown[] {
  const instant = instants();
  return [
    arrayText(healths.map((health) => health.organizationId)),
    arrayText(healths.map((health) => health.id)),
    arrayText(healths.map((health) => health.enabled)),
    arrayText(healths.map((health) => health.consecutiveFailures)),
    arrayText(healths.map((health) => instant(health.lastSuccessAt))),
    arrayText(healths.map((health) => instant(health.lastFailureAt))),
    healths.map((health) => health.disabledReason),
  ];
}

type Instant = (milliseconds: number | null | undefined) => string | null;

/** Times as text, made once for results of the same millisecond. */
function instants(): Instant {
  const known = new Map<number, string>();
  return (milliseconds) => {
    if (milliseconds === null || milliseconds === undefined) return null;
    let text = known.get(milliseconds);
    if (text === undefined) {
      text = timestamp(milliseconds);
      known.set(milliseconds, text);
    }
    return text;
  };
}

function succeeded(result: DeliveryResult): result is SuccessfulResult {
  return result.attempt?.outcome.ok === true;
}

function keyOf({ delivery }: DeliveryResult): string {
  return `${delivery.organizationId} ${delivery.subscriptionId}`;
}
