import type { ClaimedDelivery, Want } from "./claim-deliveries.ts";
import type { DueSubscription } from "./find-due.ts";
import {
  adoptFailures,
  concurrency,
  countClaimed,
  isProven,
  isQuiet,
  type Lane,
  lookFromStart,
  openLane,
  wanted,
} from "./lane.ts";

/**
 * How the attempts under way are shared among subscriptions: each may begin one whenever there is room at all, more of
 * them only while there is plenty, and those that haven't proven themselves leave a quarter to those that have. So a
 * thousand endpoints that hang leave room for the healthy ones.
 */
export interface Shares {
  /** Attempts under way at a time, over all subscriptions. */
  total: number;
  /** Of these, for subscriptions that have not proven that they answer fast. */
  unproven: number;
  /** Beyond this, an unproven subscription may have one. */
  plenty: number;
}

export const defaultShares: Shares = { total: 2_048, unproven: 1_536, plenty: 1_024 };

/** Rows claimed by one statement: some ten milliseconds' work of the database. */
const LARGEST_CLAIM = 1_000;
const FORGOTTEN_AFTER_MS = 10 * 60_000;

/** The lanes of a dispatcher, and who of them may begin an attempt. */
export interface Lanes {
  /** The subscription has due work. */
  offer(due: DueSubscription, now: number): void;
  /** What to claim now. A lane that gets its share moves behind the others. */
  wants(): Want[];
  /** Takes in what was claimed for these wants, and returns the lanes that got something to send. */
  accept(wants: readonly Want[], claimed: readonly ClaimedDelivery[]): Set<Lane>;
  laneOf(delivery: ClaimedDelivery): Lane;
  find(organizationId: string, subscriptionId: string): Lane | undefined;
  /** Counts an attempt as begun, if the lane may begin one; returns what ends it. */
  begin(lane: Lane): (() => void) | null;
  /** Lanes that have work claimed and no room to begin it. */
  blocked(): Iterable<Lane>;
  all(): Iterable<Lane>;
  inFlight(): number;
  /** Drops lanes that have had nothing to do for long. */
  forgetIdle(now: number): void;
}

export function createLanes(shares: Shares = defaultShares): Lanes {
  const lanes = new Map<string, Lane>();
  const blocked = new Set<Lane>();
  let inFlight = 0;
  let unprovenInFlight = 0;

  const keyOf = (of: { organizationId: string; subscriptionId: string }) =>
    `${of.organizationId} ${of.subscriptionId}`;

  /** How many attempts the lane may begin now, were `begun` and `unprovenBegun` under way. */
  const room = (lane: Lane, begun: number, unprovenBegun: number): number => {
    const own = concurrency(lane) - lane.inFlight;
    if (isProven(lane)) return Math.min(own, shares.total - begun);
    const first = lane.inFlight === 0 ? 1 : 0;
    return Math.min(own, shares.unproven - unprovenBegun, Math.max(first, shares.plenty - begun));
  };

  return {
    offer(due, now) {
      const key = keyOf(due);
      let lane = lanes.get(key);
      if (!lane) {
        lane = openLane(due.organizationId, due.subscriptionId, now);
        lanes.set(key, lane);
      }
      lane.usedAt = now;
      lookFromStart(lane);
      adoptFailures(lane, due.consecutiveFailures);
    },
    wants() {
      const wants: Want[] = [];
      let left = LARGEST_CLAIM;
      let begun = inFlight;
      let unprovenBegun = unprovenInFlight;
      for (const [key, lane] of [...lanes]) {
        if (left === 0) break;
        if (!lane.hasMore) continue;
        let most = wanted(lane);
        const proven = isProven(lane);
        const startable = Math.max(0, room(lane, begun, unprovenBegun));
        // A proven lane whose window is full claims ahead all the same: else it would stand still for each claim.
        if (!proven || begun >= shares.total) most = Math.min(most, startable - lane.queue.length);
        most = Math.min(most, left);
        if (most <= 0) continue;
        left -= most;
        begun += Math.min(most, startable);
        if (!proven) unprovenBegun += most;
        const { organizationId, subscriptionId, dueFrom } = lane;
        wants.push({ organizationId, subscriptionId, most, dueFrom });
        lanes.delete(key);
        lanes.set(key, lane);
      }
      return wants;
    },
    accept(wants, claimed) {
      const filled = new Set<Lane>();
      const byLane = new Map<Lane, ClaimedDelivery[]>(wants.map((want) => [lanes.get(keyOf(want))!, []]));
      for (const delivery of claimed) {
        const lane = lanes.get(keyOf(delivery))!;
        byLane.get(lane)!.push(delivery);
        if (delivery.content) {
          lane.queue.push(delivery);
          filled.add(lane);
        }
      }
      for (const want of wants) {
        const lane = lanes.get(keyOf(want))!;
        const got = byLane.get(lane)!;
        countClaimed(lane, want, got.length, got.at(-1));
      }
      return filled;
    },
    laneOf: (delivery) => lanes.get(keyOf(delivery))!,
    find: (organizationId, subscriptionId) => lanes.get(keyOf({ organizationId, subscriptionId })),
    begin(lane) {
      if (room(lane, inFlight, unprovenInFlight) <= 0) {
        if (lane.inFlight < concurrency(lane)) blocked.add(lane);
        return null;
      }
      const proven = isProven(lane);
      lane.inFlight += 1;
      inFlight += 1;
      if (!proven) unprovenInFlight += 1;
      blocked.delete(lane);
      return () => {
        lane.inFlight -= 1;
        inFlight -= 1;
        if (!proven) unprovenInFlight -= 1;
      };
    },
    blocked: () => [...blocked],
    all: () => lanes.values(),
    inFlight: () => inFlight,
    forgetIdle(now) {
      for (const [key, lane] of lanes) {
        if (isQuiet(lane) && !lane.hasMore && now - lane.usedAt > FORGOTTEN_AFTER_MS) lanes.delete(key);
      }
    },
  };
}
