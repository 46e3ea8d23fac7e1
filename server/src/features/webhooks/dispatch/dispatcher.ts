import type { Clock } from "../../../clock.ts";
import type { Database } from "../../../database/database.ts";
import type { NewId } from "../../../ids.ts";
import { startWorker } from "../../../workers/worker.ts";
import type { DeliveryClient, DeliveryOutcome } from "../delivery/index.ts";
import { type ClaimedDelivery, claimDeliveries, releaseDeliveries } from "./claim-deliveries.ts";
import { deliveryBody } from "./delivery-body.ts";
import { discardUndeliverable } from "./discard-undeliverable.ts";
import { findDue } from "./find-due.ts";
import { concurrency, countFailure, countSuccess, isQuiet, type Lane, wanted } from "./lane.ts";
import { createLanes, defaultShares, type Shares } from "./lanes.ts";
import { createRecorder } from "./recorder.ts";

export interface DispatcherDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  /** Owned by the caller, who closes it after the dispatcher has stopped. */
  client: Pick<DeliveryClient, "deliver">;
  shares?: Shares;
  onError(what: string, error: unknown): void;
  /** A subscription was disabled after 25 failures in a row. */
  onDisabled(subscription: { organizationId: string; id: string }): void;
  /** Told of every attempt: `success`, or the error's name. */
  onAttempt?(outcome: string): void;
}

export interface Dispatcher {
  /** Deliveries were queued: look for them at once. */
  wake(): void;
  /** Attempts under way. */
  inFlight(): number;
  /** Claims nothing more, lets running attempts end and be recorded, and gives back what was not begun. */
  stop(): Promise<void>;
}

/** Due work is looked for at least this often, woken or not. */
const LOOK_EVERY_MS = 15_000;
/** Looks are so far apart, and as long as the last one took: under a stream of events, one finds many. */
const LOOKS_APART_MS = 10;
const LOOKS_APART_AT_MOST_MS = 200;
/** An attempt isn't begun when its lease ends before it could be over (10 s) and recorded. */
const LEASE_NEEDED_MS = 15_000;
const DRAIN_MS = 10_000;

/**
 * Finds due deliveries, leases them, POSTs them outside any transaction, and records what came of it: three stages that
 * run beside each other. Several dispatchers may work on one database.
 */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, client, shares = defaultShares } = deps;
  const lanes = createLanes(shares);
  const releasing = new Set<Promise<void>>();
  let lookNow = true;
  let nextLookAt = Number.NEGATIVE_INFINITY;
  /** Real time, not the service's clock: it is about sparing the database. */
  let nextWakeAt = 0;
  let waking: NodeJS.Timeout | undefined;
  let stopping = false;
  let onQuiet: (() => void) | undefined;

  const recorder = createRecorder({
    database: deps.database,
    clock,
    onError: (error) => deps.onError("recording deliveries failed", error),
    onRecorded(results, { disabled }) {
      for (const { delivery } of results) {
        const lane = lanes.laneOf(delivery);
        lane.unrecorded -= 1;
        // It may make no attempt as far as this process knows: the database knows better.
        if (isQuiet(lane) && concurrency(lane) === 0) wake();
        else if (wanted(lane) > 0) worker.wake();
      }
      for (const subscription of disabled) {
        deps.onDisabled(subscription);
        const lane = lanes.find(subscription.organizationId, subscription.id);
        if (lane) {
          lane.hasMore = false;
          for (const delivery of lane.queue.splice(0)) giveUp(lane, delivery);
        }
        // What the record left of a large backlog is discarded on the next look.
        wake();
      }
    },
  });

  const giveUp = (lane: Lane, delivery: ClaimedDelivery) => {
    lane.unrecorded += 1;
    recorder.add({ delivery, attempt: null });
  };

  const release = (deliveries: readonly ClaimedDelivery[]) => {
    if (deliveries.length === 0) return;
    const released = releaseDeliveries(deps, deliveries)
      // They are older than what is claimed now, perhaps: a look has their subscriptions claimed for from the start again.
      .then(wake)
      // Their leases run out by themselves.
      .catch((error: unknown) => deps.onError("releasing deliveries failed", error))
      .finally(() => releasing.delete(released));
    releasing.add(released);
  };

  const pump = (lane: Lane) => {
    while (!stopping && lane.queue.length > 0) {
      const end = lanes.begin(lane);
      if (!end) return;
      const delivery = lane.queue.shift()!;
      if (delivery.leaseUntil - clock.now() < LEASE_NEEDED_MS) {
        end();
        release([delivery, ...lane.queue.splice(0)]);
        return;
      }
      void attempt(lane, delivery, end);
    }
  };

  const attempt = async (lane: Lane, delivery: ClaimedDelivery, end: () => void) => {
    const startedAt = clock.now();
    let outcome: DeliveryOutcome | undefined;
    try {
      outcome = await post(delivery, startedAt);
    } catch (error) {
      deps.onError("delivering failed", error);
    }
    end();
    // Nothing was learned of the receiver: the delivery is left to its lease.
    if (outcome && outcome.error !== "aborted") {
      deps.onAttempt?.(outcome.ok ? "success" : (outcome.error ?? "unknown"));
      if (outcome.ok) countSuccess(lane, outcome.durationMs);
      else countFailure(lane, outcome.durationMs);
      lane.unrecorded += 1;
      recorder.add({ delivery, attempt: { outcome, startedAt, endedAt: clock.now() } });
      if (!outcome.ok) release(lane.queue.splice(Math.max(0, concurrency(lane) - lane.inFlight)));
    }
    pump(lane);
    for (const waiting of lanes.blocked()) pump(waiting);
    // Where room is scarce, any lane may have waited for it.
    if (wanted(lane) > 0 || lanes.inFlight() + 1 >= shares.plenty) worker.wake();
    if (lanes.inFlight() === 0) onQuiet?.();
  };

  const post = (delivery: ClaimedDelivery, startedAt: number): Promise<DeliveryOutcome> => {
    const content = delivery.content!;
    return client.deliver({
      targetUrl: content.targetUrl,
      secret: content.secret,
      eventType: content.type,
      eventId: delivery.eventId,
      attempt: delivery.attempt + 1,
      timestampSeconds: Math.floor(startedAt / 1000),
      body: deliveryBody(delivery, content),
    });
  };

  const look = async () => {
    lookNow = false;
    const now = clock.now();
    const startedAt = performance.now();
    const { due, nextAt } = await findDue(deps, now);
    const endedAt = performance.now();
    const apart = Math.max(LOOKS_APART_MS, endedAt - startedAt);
    nextWakeAt = endedAt + Math.min(apart, LOOKS_APART_AT_MOST_MS);
    nextLookAt = Math.min(now + LOOK_EVERY_MS, nextAt ?? Number.POSITIVE_INFINITY);
    for (const subscription of due) {
      if (subscription.enabled) lanes.offer(subscription, now);
      else if (await discardUndeliverable(deps, subscription)) lookNow = true;
    }
    lanes.forgetIdle(now);
  };

  const claim = async (): Promise<boolean> => {
    const wants = lanes.wants();
    if (wants.length === 0) return false;
    const claimed = await claimDeliveries(deps, wants, clock.now());
    const filled = lanes.accept(wants, claimed);
    for (const delivery of claimed) {
      if (delivery.content === null) giveUp(lanes.laneOf(delivery), delivery);
    }
    for (const lane of filled) pump(lane);
    return true;
  };

  const worker = startWorker({
    clock,
    intervalMs: LOOK_EVERY_MS,
    async round(signal) {
      if (lookNow || clock.now() >= nextLookAt) {
        try {
          await look();
        } catch (error) {
          lookNow = true;
          throw error;
        }
      }
      const claimed = !signal.aborted && (await claim());
      return { again: lookNow || claimed, nextAt: nextLookAt };
    },
    onError: (error) => deps.onError("looking for due deliveries failed", error),
  });

  const lookSoon = () => {
    waking = undefined;
    lookNow = true;
    worker.wake();
  };
  const wake = () => {
    if (waking || stopping) return;
    const waitMs = nextWakeAt - performance.now();
    if (waitMs <= 0) lookSoon();
    else waking = setTimeout(lookSoon, waitMs);
  };

  return {
    wake,
    inFlight: () => lanes.inFlight(),
    async stop() {
      stopping = true;
      clearTimeout(waking);
      await worker.stop();
      release([...lanes.all()].flatMap((lane) => lane.queue.splice(0)));
      if (lanes.inFlight() > 0) {
        await new Promise<void>((resolve) => {
          onQuiet = resolve;
        });
      }
      await Promise.all(releasing);
      const left = await recorder.drain(DRAIN_MS);
      if (left > 0)
        deps.onError("deliveries left unrecorded", new Error(`${left} results were not recorded`));
    },
  };
}
