import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import {
  adoptFailures,
  concurrency,
  countClaimed,
  countFailure,
  countSuccess,
  isProven,
  lookFromStart,
  openLane,
  wanted,
} from "./lane.ts";
import { createLanes } from "./lanes.ts";

const lane = () => openLane("o", "s", 0);

const claimed = (subscriptionId: string): ClaimedDelivery => ({
  organizationId: "o",
  id: "d",
  eventId: "e",
  subscriptionId,
  claimId: "c",
  leaseUntil: 0,
  state: "pending",
  attempt: 0,
  attemptsMade: 0,
  content: {
    type: "lead.created",
    data: "{}",
    occurredAt: "",
    targetUrl: "",
    secret: "",
  },
});

describe("a lane", () => {
  it("starts small, grows with successes and shrinks with failures", () => {
    const one = lane();
    expect(concurrency(one)).toBe(4);
    for (let i = 0; i < 200; i++) countSuccess(one, 60);
    expect(concurrency(one)).toBe(64);
    for (let i = 0; i < 6; i++) countFailure(one, 60);
    expect(concurrency(one)).toBe(1);
  });

  it("may have twice as many under way while it answers at once even so", () => {
    const one = lane();
    for (let i = 0; i < 200; i++) countSuccess(one, 10);
    expect(concurrency(one)).toBe(128);
    for (let i = 0; i < 10; i++) countSuccess(one, 60);
    expect(concurrency(one)).toBe(64);
  });

  it("isn't claimed for twice from the start while a backlog lasts, and once more at its end", () => {
    const one = lane();
    const want = () => ({ organizationId: "o", subscriptionId: "s", most: 2, dueFrom: one.dueFrom });
    const at = (occurredAt: string) => ({
      ...claimed("s"),
      content: { ...claimed("s").content!, occurredAt },
    });
    lookFromStart(one);
    expect(want().dueFrom).toBe(null);
    countClaimed(one, want(), 2, at("2026-01-01T00:00:00.001Z"));
    expect(want().dueFrom).toBe("2026-01-01T00:00:00.001Z");
    countClaimed(one, want(), 1, at("2026-01-01T00:00:00.002Z"));
    expect([one.dueFrom, one.hasMore]).toEqual([null, true]);
    countClaimed(one, want(), 1, at("2026-01-01T00:00:00.000Z"));
    expect(one.hasMore).toBe(false);
    // Its event is gone: it says nothing of how far the claim went.
    countClaimed(one, want(), 2, { ...claimed("s"), content: null });
    expect(one.dueFrom).toBe(null);
  });

  it("never has more under way than could fail before the subscription is disabled, unless long trusted", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (results) => {
        const one = lane();
        let run = 0;
        for (const ok of results) {
          run = ok ? run + 1 : 0;
          if (ok) countSuccess(one, 5);
          else countFailure(one, 5);
          expect(concurrency(one)).toBeGreaterThanOrEqual(one.failures < 25 ? 1 : 0);
          if (run < 64) expect(concurrency(one) + one.failures).toBeLessThanOrEqual(25);
        }
      }),
    );
  });

  it("claims ahead only for an endpoint that is fast, and no more than it does in a moment", () => {
    const slow = lane();
    slow.hasMore = true;
    for (let i = 0; i < 100; i++) countSuccess(slow, 3_000);
    expect(isProven(slow)).toBe(false);
    expect(wanted(slow)).toBe(concurrency(slow));
    const fast = lane();
    fast.hasMore = true;
    for (let i = 0; i < 100; i++) countSuccess(fast, 2);
    expect(isProven(fast)).toBe(true);
    expect(wanted(fast)).toBe(500);
    countFailure(fast, 2);
    expect(wanted(fast)).toBeLessThanOrEqual(25);
    fast.hasMore = false;
    expect(wanted(fast)).toBe(0);
  });

  it("takes over what the database says when nothing is on its way there", () => {
    const one = lane();
    for (let i = 0; i < 25; i++) countFailure(one, 1);
    expect(concurrency(one)).toBe(0);
    one.unrecorded = 1;
    adoptFailures(one, 0);
    expect(concurrency(one)).toBe(0);
    one.unrecorded = 0;
    adoptFailures(one, 0);
    expect(concurrency(one)).toBe(1);
    adoptFailures(one, 99);
    expect(concurrency(one)).toBe(1);
  });
});

describe("the shares of lanes", () => {
  const due = (subscriptionId: string) => ({
    organizationId: "o",
    subscriptionId,
    enabled: true,
    consecutiveFailures: 0,
  });
  it("leaves a quarter to proven endpoints, however many others hang", () => {
    const lanes = createLanes({ total: 100, unproven: 75, plenty: 50 });
    for (let i = 0; i < 200; i++) lanes.offer(due(`hangs ${i}`), 0);
    lanes.offer(due("healthy"), 0);
    const healthy = lanes.laneOf(claimed("healthy"));
    for (let i = 0; i < 8; i++) countSuccess(healthy, 5);

    const wants = lanes.wants();
    lanes.accept(
      wants,
      wants.flatMap(({ subscriptionId, most }) =>
        Array.from({ length: most }, () => claimed(subscriptionId)),
      ),
    );
    for (const lane of lanes.all()) {
      if (lane !== healthy) while (lane.queue.length > 0 && lanes.begin(lane)) lane.queue.shift();
    }
    expect(lanes.inFlight()).toBe(75);
    let begun = 0;
    while (lanes.begin(healthy)) begun += 1;
    expect(begun).toBe(concurrency(healthy));
    expect(begun).toBeGreaterThanOrEqual(12);
  });

  it("claims ahead for a proven endpoint while as many as it may have are under way, if there is room at all", () => {
    const busy = (total: number) => {
      const lanes = createLanes({ total, unproven: total, plenty: total });
      lanes.offer(due("fast"), 0);
      const lane = lanes.laneOf(claimed("fast"));
      for (let i = 0; i < 100; i++) countSuccess(lane, 2);
      while (lanes.begin(lane));
      return lanes;
    };
    expect(busy(1_000).wants()).toEqual([
      { organizationId: "o", subscriptionId: "fast", most: 500, dueFrom: null },
    ]);
    expect(busy(100).wants()).toEqual([]);
  });

  it("gives every waiting subscription its first attempt before others get more, once room is scarce", () => {
    const lanes = createLanes({ total: 100, unproven: 75, plenty: 10 });
    for (let i = 0; i < 50; i++) lanes.offer(due(`s${i}`), 0);
    const wants = lanes.wants();
    const more = wants.filter(({ most }) => most > 1);
    expect(wants).toHaveLength(50);
    expect(more.length).toBeLessThanOrEqual(4);
  });

  it("serves in turns: who got a share of a claim moves behind the others", () => {
    const lanes = createLanes();
    for (const name of ["a", "b", "c"]) lanes.offer(due(name), 0);
    for (const name of ["a", "b", "c"]) {
      const lane = lanes.laneOf(claimed(name));
      for (let i = 0; i < 100; i++) countSuccess(lane, 2);
    }
    const names = () => {
      const wants = lanes.wants();
      lanes.accept(wants, []);
      for (const name of ["a", "b", "c"]) lanes.offer(due(name), 0);
      return wants.map(({ subscriptionId }) => subscriptionId);
    };
    expect(names()).toEqual(["a", "b"]);
    expect(names()).toEqual(["c", "a"]);
    expect(names()).toEqual(["b", "c"]);
  });
});
