import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../database/database.ts";
import { type DispatchHarness, startDispatchHarness, until } from "../../../testing/dispatch-harness.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { startWebhookSink, type WebhookSink } from "../../../testing/webhook-sink.ts";
import { createDeliveryClient, type DeliveryAttempt, type DeliveryOutcome } from "../delivery/index.ts";
import { delayBeforeAttempt } from "../delivery-states.ts";
import { discardQueued } from "../discard-queued.ts";

const SUCCESS: DeliveryOutcome = {
  ok: true,
  status: 200,
  error: null,
  permanent: false,
  durationMs: 1,
  responseExcerpt: "",
};
const TIMEOUT: DeliveryOutcome = {
  ok: false,
  status: null,
  error: "timeout",
  permanent: false,
  durationMs: 10_000,
  responseExcerpt: null,
};

/** A receiver that answers when it is told to. */
function heldClient() {
  const held: { attempt: DeliveryAttempt; answer(outcome: DeliveryOutcome): void }[] = [];
  return {
    held,
    deliver: (attempt: DeliveryAttempt) =>
      new Promise<DeliveryOutcome>((answer) => {
        held.push({ attempt, answer });
      }),
  };
}

describe("the dispatcher", () => {
  let test: DispatchHarness;
  let sink: WebhookSink;
  beforeEach(async () => {
    sink = await startWebhookSink();
    test = await startDispatchHarness();
  });
  afterEach(async () => {
    // The receiver first: what hangs there ends.
    await sink.close();
    await test.close();
  });
  const count = (path: string) => sink.requests.filter((request) => request.path === path).length;
  const countIn = async (state: string) => {
    const [row] = await test.database.query<{ count: number }>({
      text: "SELECT count(*) FROM webhook_deliveries WHERE state = $1",
      values: [state],
    });
    return row!.count;
  };
  const untilRecorded = (id: string, attempts: number) =>
    until(
      async () => (await test.deliveries(id))[0]!,
      (delivery) => delivery.attempts_made === attempts && delivery.lease_until === null,
    );

  it("makes eight attempts, each after its delay to the millisecond and never before, then gives up", async () => {
    sink.script("/down", { kind: "respond", status: 500, body: "no" });
    const down = await test.subscribe(sink.url("/down"), ["lead.created"]);
    const dispatcher = test.dispatcher();
    await test.report();
    const probe = await test.subscribe(sink.url("/probe"), ["lead.updated"]);

    for (let made = 1; made <= 8; made++) {
      const endedAt = test.clock.now();
      const delivery = await untilRecorded(down, made);
      expect(count("/down")).toBe(made);
      expect(delivery.attempt).toBe(made);
      if (made === 8) {
        expect(delivery).toMatchObject({
          state: "dead_letter",
          next_attempt_at: null,
          finished_at: new Date(endedAt).toISOString(),
        });
        break;
      }
      const dueAt = endedAt + delayBeforeAttempt[made]!;
      expect(delivery).toMatchObject({
        state: "retrying",
        next_attempt_at: new Date(dueAt).toISOString(),
        finished_at: null,
      });
      // A millisecond early, a look that finds other work doesn't take it.
      test.clock.moveTo(dueAt - 1);
      await test.queue(probe, 1);
      dispatcher.wake();
      await sink.waitFor(() => count("/probe") === made);
      expect(count("/down")).toBe(made);
      // Then the clock alone brings it.
      test.clock.moveTo(dueAt);
      await sink.waitFor(() => count("/down") === made + 1);
    }

    const sent = sink.requests.filter(({ path }) => path === "/down");
    expect(sent.map(({ headers }) => headers["x-service-delivery-attempt"])).toEqual([..."12345678"]);
    expect(new Set(sent.map(({ body }) => body.toString())).size).toBe(1);
    const signedAt = sent.map(({ headers }) =>
      Number(/^t=(\d+),/.exec(String(headers["x-service-signature-256"]))![1]),
    );
    const delays = signedAt.slice(1).map((at, index) => at - signedAt[index]!);
    expect(delays).toEqual([30, 60, 300, 1_800, 7_200, 21_600, 43_200]);
    expect(await test.subscription(down)).toMatchObject({ enabled: true, consecutive_failures: 8 });
    expect(test.errors).toEqual([]);
  });

  it("takes of a subscription only what is due", async () => {
    const id = await test.subscribe(sink.url("/due"));
    await test.queue(id, 2);
    await test.queue(id, 3, test.clock.now() + 1);
    const dispatcher = test.dispatcher();
    await until(
      () => countIn("delivered"),
      (n) => n === 2,
    );
    dispatcher.wake();
    await until(
      () => test.clock.pending(),
      (n) => n === 1,
    );
    expect(count("/due")).toBe(2);
    test.clock.advance(1);
    await sink.waitFor(() => count("/due") === 5);
  });

  it("disables a subscription at its 25th failed attempt in a row, over all its deliveries", async () => {
    sink.script("/down", { kind: "respond", status: 500 });
    const down = await test.subscribe(sink.url("/down"));
    await test.queue(down, 30);
    test.dispatcher();
    const subscription = await until(
      () => test.subscription(down),
      ({ enabled }) => !enabled,
    );
    expect(subscription).toMatchObject({
      consecutive_failures: 25,
      disabled_reason: "auto_disabled_after_25_consecutive_failures",
      last_success_at: null,
      last_failure_at: expect.any(String),
    });
    const deliveries = await until(
      () => test.deliveries(down),
      (all) => all.every(({ state }) => state === "discarded"),
    );
    expect(deliveries).toHaveLength(30);
    expect(deliveries.reduce((sum, { attempts_made }) => sum + attempts_made, 0)).toBe(25);
    expect(count("/down")).toBe(25);
    // Nothing of it comes later, and events while it is disabled are not queued.
    await test.report();
    expect(await test.deliveries(down)).toHaveLength(30);
  });

  it("starts counting anew after a success", async () => {
    sink.script(
      "/mixed",
      ...Array.from({ length: 24 }, () => ({ kind: "respond", status: 500 }) as const),
      { kind: "respond" },
      { kind: "respond", status: 500 },
    );
    const mixed = await test.subscribe(sink.url("/mixed"));
    await test.queue(mixed, 30);
    test.dispatcher();
    await until(
      () => test.deliveries(mixed),
      (all) => all.every((delivery) => delivery.attempts_made === 1 && delivery.lease_until === null),
    );
    expect(await test.subscription(mixed)).toMatchObject({ enabled: true, consecutive_failures: 5 });
  });

  it("sends nothing to a subscription that was disabled after its deliveries were queued, or deleted", async () => {
    const disabled = await test.subscribe(sink.url("/off"));
    const deleted = await test.subscribe(sink.url("/off"));
    await test.queue(disabled, 2_100);
    await test.queue(deleted, 3);
    await test.database.query({
      text: "UPDATE webhook_subscriptions SET enabled = false WHERE id = $1",
      values: [disabled],
    });
    await test.database.query({
      text: "DELETE FROM webhook_subscriptions WHERE id = $1",
      values: [deleted],
    });
    test.dispatcher();
    const all = await until(
      () => test.deliveries(),
      (rows) => rows.every(({ state }) => state === "discarded"),
    );
    expect(all).toHaveLength(2_103);
    expect(sink.requests).toHaveLength(0);
  });

  it("counts the attempt that was under way when its subscription was disabled, and retries it no more", async () => {
    const client = heldClient();
    const id = await test.subscribe("http://127.0.0.1/x");
    await test.queue(id, 2);
    test.dispatcher({ client });
    await until(
      () => client.held.length,
      (n) => n === 2,
    );
    await test.database.query({
      text: "UPDATE webhook_subscriptions SET enabled = false WHERE id = $1",
      values: [id],
    });
    expect(
      await discardQueued(test.database, { organizationId: test.organizationId, id }, test.clock.now()),
    ).toBe(0);
    client.held[0]!.answer(SUCCESS);
    client.held[1]!.answer(TIMEOUT);
    const rows = await until(
      () => test.deliveries(id),
      (all) => all.every(({ finished_at }) => finished_at !== null),
    );
    expect(rows.map(({ state }) => state).sort()).toEqual(["delivered", "discarded"]);
    expect(rows.map(({ attempts_made }) => attempts_made)).toEqual([1, 1]);
  });

  it("gives a delivery up at once when its target has become private, and retries a failed look-up", async () => {
    const answers = new Map([
      ["inside.example.com", [{ address: "10.0.0.1", family: 4 as const }]],
      ["gone.example.com", null],
    ]);
    const client = createDeliveryClient({
      allowPrivateTargets: false,
      resolver: {
        resolve: async (host) => {
          const addresses = answers.get(host);
          if (!addresses) throw new Error("not found");
          return addresses;
        },
      },
    });
    const inside = await test.subscribe("https://inside.example.com/x");
    const gone = await test.subscribe("https://gone.example.com/x");
    await test.report();
    test.dispatcher({ client });
    expect(await untilRecorded(inside, 1)).toMatchObject({ state: "dead_letter", attempt: 1 });
    expect(await untilRecorded(gone, 1)).toMatchObject({ state: "retrying", attempt: 1 });
    const failed = { number: 1, attempt: 1, status_code: null, response_excerpt: null };
    expect((await test.deliveries(gone))[0]!.attempts).toMatchObject([
      { ...failed, error: "dns_lookup_failed" },
    ]);
    expect((await test.deliveries(inside))[0]!.attempts).toMatchObject([
      { ...failed, error: "private_resolved_ipv4" },
    ]);
    expect(await test.subscription(inside)).toMatchObject({ consecutive_failures: 1 });
    await client.close();
  });

  it("sends nothing twice while two dispatchers work on one database", async () => {
    const ids = await Promise.all(["/a", "/b", "/c"].map((path) => test.subscribe(sink.url(path))));
    for (const id of ids) await test.queue(id, 700);
    const dispatchers = [test.dispatcher(), test.dispatcher()];
    await test.report(50);
    await until(
      () => {
        for (const dispatcher of dispatchers) dispatcher.wake();
        return countIn("delivered");
      },
      (n) => n === 3 * 750,
      30_000,
    );
    const seen = sink.requests.map(({ path, headers }) => `${path} ${headers["x-service-event-id"]}`);
    expect(seen).toHaveLength(3 * 750);
    expect(new Set(seen).size).toBe(3 * 750);
  });

  it("takes over what a dead process had claimed once its lease is over, and fences the dead one's result", async () => {
    const dead = heldClient();
    const id = await test.subscribe(sink.url("/taken-over"));
    const probe = await test.subscribe(sink.url("/probe"));
    await test.queue(id, 1);
    // A clock of its own that stands still: it does nothing any more but to hold its attempt.
    const deadDispatcher = test.dispatcher({ client: dead, clock: manualClock(test.clock.now()) });
    await until(
      () => dead.held.length,
      (n) => n === 1,
    );
    const leaseUntil = new Date(test.clock.now() + 30_000).toISOString();
    expect((await test.deliveries(id))[0]).toMatchObject({ lease_until: leaseUntil, state: "pending" });

    const live = test.dispatcher();
    await until(
      () => test.clock.pending(),
      (n) => n === 1,
    );
    test.clock.advance(29_999);
    await test.queue(probe, 1);
    live.wake();
    await untilRecorded(probe, 1);
    expect(count("/taken-over")).toBe(0);
    test.clock.advance(1);
    await sink.waitFor(() => count("/taken-over") === 1);
    expect(await untilRecorded(id, 1)).toMatchObject({ state: "delivered" });

    dead.held[0]!.answer(TIMEOUT);
    await deadDispatcher.stop();
    expect((await test.deliveries(id))[0]).toMatchObject({ state: "delivered", attempts_made: 1 });
    expect(await test.subscription(id)).toMatchObject({ consecutive_failures: 0, last_failure_at: null });
  });

  it("records nothing of a result whose lease was lost", async () => {
    const slow = heldClient();
    const id = await test.subscribe("http://127.0.0.1/x");
    await test.queue(id, 3);
    const dispatcher = test.dispatcher({ client: slow });
    await until(
      () => slow.held.length,
      (n) => n === 3,
    );
    const [lost] = await test.deliveries(id);
    await test.database.query({
      text: "UPDATE webhook_deliveries SET claim_id = $1 WHERE id = $2",
      values: [test.newId(), lost!.id],
    });
    for (const { attempt, answer } of slow.held)
      answer(attempt.eventId === lost!.event_id ? TIMEOUT : SUCCESS);
    await dispatcher.stop();
    const rows = await test.deliveries(id);
    expect(rows.map(({ state }) => state)).toEqual(["pending", "delivered", "delivered"]);
    expect(rows.map(({ attempts }) => attempts.length)).toEqual([0, 1, 1]);
    expect(await test.subscription(id)).toMatchObject({ consecutive_failures: 0, last_failure_at: null });
  });

  it("delivers to a healthy endpoint while others hang", async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) {
      sink.script(`/hangs${n}`, { kind: "hang" });
      await test.subscribe(sink.url(`/hangs${n}`));
    }
    const healthy = await test.subscribe(sink.url("/healthy"));
    const dispatcher = test.dispatcher({ timeoutMs: 8_000 });
    for (let n = 1; n <= 60; n++) {
      await test.report();
      await sink.waitFor(() => count("/healthy") === n, 4_000);
    }
    await until(
      () => test.deliveries(healthy),
      (all) => all.every(({ state }) => state === "delivered"),
    );
    // All of that while the first attempts at the others were still under way; each has few.
    expect(dispatcher.inFlight()).toBe(6 * 4);
    const all = (await test.deliveries()).flatMap(({ attempts }) => attempts);
    expect(all.filter(({ error }) => error !== null)).toEqual([]);
  });

  it("works off a backlog of 10,000 within its cap, without starving another subscription", async () => {
    let now = 0;
    let most = 0;
    const backlog = await test.subscribe("http://127.0.0.1/backlog");
    const other = await test.subscribe("http://127.0.0.1/other", ["lead.created"]);
    await test.queue(backlog, 10_000);
    // However fast the machine, the last thousands of the backlog are still there when the other
    // subscription has been served: the endpoint answers them only then.
    let answered = 0;
    let otherIsServed = () => {};
    const served = new Promise<void>((resolve) => {
      otherIsServed = resolve;
    });
    const client = {
      async deliver(attempt: DeliveryAttempt): Promise<DeliveryOutcome> {
        if (!attempt.targetUrl.endsWith("/backlog")) return SUCCESS;
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 3));
        answered += 1;
        if (answered > 8_000) await served;
        now -= 1;
        return { ...SUCCESS, durationMs: 3 };
      },
    };
    const dispatcher = test.dispatcher({ client });
    await until(
      () => most,
      (n) => n >= 30,
    );
    for (let n = 1; n <= 10; n++) {
      await test.queue(other, 1);
      dispatcher.wake();
      await until(
        () => test.deliveries(other),
        (all) => all.length === n && all.every(({ state }) => state === "delivered"),
        2_000,
      );
    }
    expect(await countIn("pending")).toBeGreaterThan(1_000);
    otherIsServed();
    await until(
      () => countIn("delivered"),
      (n) => n === 10_010,
      25_000,
    );
    expect(most).toBeLessThanOrEqual(128);
  });

  it("gets to deliveries that come up behind a backlog while it is worked off", async () => {
    const id = await test.subscribe("http://127.0.0.1/x");
    let sent = 0;
    const client = {
      async deliver() {
        sent += 1;
        // Nobody is told of them, and the next look is 15 s away.
        if (sent === 1_000) await test.queue(id, 10, test.clock.now() - 1_000);
        await new Promise(setImmediate);
        return { ...SUCCESS, durationMs: 1 };
      },
    };
    await test.queue(id, 5_000);
    test.dispatcher({ client }).wake();
    await until(
      () => countIn("delivered"),
      (n) => n === 5_010,
      15_000,
    );
  });

  it("lets running attempts end when it stops, and gives back what it had not begun", async () => {
    const client = heldClient();
    let holding = false;
    const fastThenHeld = {
      deliver: (attempt: DeliveryAttempt) =>
        holding ? client.deliver(attempt) : Promise.resolve({ ...SUCCESS, durationMs: 1 }),
    };
    const id = await test.subscribe("http://127.0.0.1/x");
    const dispatcher = test.dispatcher({ client: fastThenHeld });
    await test.queue(id, 200);
    dispatcher.wake();
    await until(
      () => test.deliveries(id),
      (all) => all.every(({ state }) => state === "delivered"),
    );
    holding = true;
    await test.queue(id, 300);
    dispatcher.wake();
    await until(
      () => client.held.length,
      (n) => n === 128,
    );
    const leased = (await test.deliveries(id)).filter(({ lease_until }) => lease_until !== null);
    expect(leased.length).toBeGreaterThan(128);
    const stopped = dispatcher.stop();
    for (const { answer } of client.held) answer(SUCCESS);
    await stopped;
    const rows = await test.deliveries(id);
    expect(rows.filter(({ state }) => state === "delivered")).toHaveLength(328);
    expect(rows.filter(({ lease_until }) => lease_until !== null)).toEqual([]);
    expect(client.held).toHaveLength(128);
  });

  it("keeps results while the database is away, and sends nothing a second time", async () => {
    let away = false;
    const failing = (): never => {
      throw new Error("the database is away");
    };
    const flaky: Database = {
      ...test.database,
      query: (statement) => (away ? Promise.reject(new Error("away")) : test.database.query(statement)),
      transaction: async (work) => (away ? failing() : test.database.transaction(work)),
    };
    const client = heldClient();
    const id = await test.subscribe("http://127.0.0.1/x");
    await test.queue(id, 3);
    const dispatcher = test.dispatcher({ client, database: flaky });
    await until(
      () => client.held.length,
      (n) => n === 3,
    );
    away = true;
    for (const { answer } of client.held) answer(SUCCESS);
    dispatcher.wake();
    await until(
      () => test.errors.length,
      (n) => n >= 3,
    );
    away = false;
    await until(
      () => test.deliveries(id),
      (all) => all.every(({ state }) => state === "delivered"),
    );
    expect(client.held).toHaveLength(3);
    await test.queue(id, 1);
    dispatcher.wake();
    await until(
      () => client.held.length,
      (n) => n === 4,
    );
    client.held[3]!.answer(SUCCESS);
  });

  it("leaves to its lease what a closed client could not send", async () => {
    const id = await test.subscribe("http://127.0.0.1/x");
    await test.queue(id, 1);
    let attempts = 0;
    const client = {
      deliver: async () => {
        attempts += 1;
        return { ...TIMEOUT, error: "aborted" };
      },
    };
    const dispatcher = test.dispatcher({ client });
    await until(
      () => attempts,
      (n) => n === 1,
    );
    await dispatcher.stop();
    expect((await test.deliveries(id))[0]).toMatchObject({ state: "pending", attempts_made: 0 });
    expect(await test.subscription(id)).toMatchObject({ consecutive_failures: 0 });
  });

  it("looks at least every 15 s for what nobody told it of", async () => {
    const id = await test.subscribe(sink.url("/untold"));
    const dispatcher = test.dispatcher();
    await test.report();
    await untilRecorded(id, 1);
    await until(
      () => test.clock.pending(),
      (n) => n === 1,
    );
    await test.queue(id, 1);
    test.clock.advance(14_999);
    expect(dispatcher.inFlight()).toBe(0);
    expect(count("/untold")).toBe(1);
    test.clock.advance(1);
    await sink.waitFor(() => count("/untold") === 2);
  });
});
