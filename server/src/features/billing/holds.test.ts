import { assert, integer, property } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../database/database.ts";
import { idsFrom } from "../../ids.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { createOrganization } from "../organizations/index.ts";
import { creditWallet } from "./credit-wallet.ts";
import { extendHold } from "./extend-hold.ts";
import { placeHold } from "./place-hold.ts";
import { priceOf } from "./price-of.ts";
import { readWallet } from "./read-wallet.ts";
import { settleHold } from "./settle-hold.ts";

describe("the price of a call", () => {
  it.each([
    [0, 90, 0],
    [-1, 90, 0],
    [Number.NaN, 90, 0],
    [0.001, 90, 2],
    [1, 90, 2],
    [1, 60, 1],
    [2, 90, 3],
    [59.2, 90, 90],
    [60, 90, 90],
    [60.001, 90, 92],
    [61, 90, 92],
    [30, 1, 1],
    [61, 1, 2],
    [7200, 90, 10_800],
    [100, 0, 0],
  ])("%d s at %d tokens a minute: %d", (seconds, ratePerMinute, tokens) => {
    expect(priceOf({ seconds, ratePerMinute })).toBe(tokens);
  });

  it("is at most what was held minute by minute, and never a whole token too much", () => {
    assert(
      property(
        integer({ min: 1, max: 7200 }),
        integer({ min: 0, max: 100_000 }),
        (seconds, ratePerMinute) => {
          const price = priceOf({ seconds, ratePerMinute });
          expect(price).toBeLessThanOrEqual(Math.ceil(seconds / 60) * ratePerMinute);
          expect(price * 60).toBeGreaterThanOrEqual(seconds * ratePerMinute);
          expect((price - 1) * 60).toBeLessThan(seconds * ratePerMinute);
        },
      ),
    );
  });
});

describe("tokens held for calls", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 12 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const clock = manualClock();
  const newId = idsFrom(clock);
  async function newWallet({ balance = 1000, threshold = 0 } = {}) {
    const deps = { database, clock, newId, deliveriesQueued() {} };
    const { id: organizationId } = await createOrganization(deps, {
      actor: "test",
      name: "Holds",
      balanceTokens: balance,
      lowBalanceThreshold: threshold,
    });
    return {
      organizationId,
      place: (callId: string, tokens: number) =>
        database.transaction((transaction) =>
          placeHold(deps, transaction, { organizationId, callId, tokens }),
        ),
      extend: (callId: string, tokens: number) => extendHold(deps, { organizationId, callId, tokens }),
      settle: (callId: string, tokens: number) =>
        database.transaction((transaction) =>
          settleHold(deps, transaction, { organizationId, callId, tokens, note: "61 s", actor: "call" }),
        ),
      move: (tokens: number) => creditWallet(deps, { organizationId, actor: "test", tokens }),
      read: () => readWallet(deps, organizationId),
      events: () =>
        database.query<{ data: unknown }>({
          text: "SELECT data FROM events WHERE organization_id = $1 AND type = 'billing.low_balance'",
          values: [organizationId],
        }),
    };
  }

  it("sets aside, extends, charges what was used and gives the rest back", async () => {
    const wallet = await newWallet();
    const call = newId();
    await wallet.place(call, 90);
    expect(await wallet.read()).toMatchObject({ balance: 1000, held: 90, available: 910 });
    expect(await wallet.extend(call, 90)).toBe(true);
    const other = newId();
    await wallet.place(other, 7);
    expect(await wallet.read()).toMatchObject({
      balance: 1000,
      held: 187,
      available: 813,
      holds: [
        { call_id: other, tokens: 7, created_at: new Date(clock.now()).toISOString() },
        { call_id: call, tokens: 180 },
      ],
    });
    await wallet.settle(other, 0);
    expect(await wallet.settle(call, 92)).toEqual({ captured: 92, first: true });
    expect(await wallet.read()).toMatchObject({
      balance: 908,
      held: 0,
      available: 908,
      holds: [],
      entries: [{ kind: "call", tokens: -92, balance: 908, note: "61 s", actor: "call" }, { kind: "credit" }],
    });
    const sides = await database.query<{ account: string; amount: number }>({
      text: "SELECT account, amount FROM ledger_entries WHERE organization_id = $1 AND idempotency_key = $2 ORDER BY account",
      values: [wallet.organizationId, `call:${call}`],
    });
    expect(sides).toEqual([
      { account: "revenue", amount: 92 },
      { account: "wallet", amount: -92 },
    ]);
  });

  it("writes nothing for a call that cost nothing", async () => {
    const wallet = await newWallet();
    const call = newId();
    await wallet.place(call, 90);
    expect(await wallet.settle(call, 0)).toEqual({ captured: 0, first: true });
    expect(await wallet.read()).toMatchObject({ balance: 1000, held: 0, entries: [{ kind: "credit" }] });
  });

  it("is settled once, by whoever comes first of many at once", async () => {
    const wallet = await newWallet();
    const call = newId();
    await wallet.place(call, 90);
    const settled = await Promise.all([10, 20, 30, 40, 50].map((tokens) => wallet.settle(call, tokens)));
    const first = settled.filter((settlement) => settlement.first);
    expect(first).toHaveLength(1);
    expect(new Set(settled.map(({ captured }) => captured))).toEqual(new Set([first[0]!.captured]));
    expect(await wallet.read()).toMatchObject({ balance: 1000 - first[0]!.captured, held: 0 });
    expect(await wallet.extend(call, 1)).toBe(false);
    expect(await wallet.read()).toMatchObject({ held: 0 });
  });

  it("charges no more than is held", async () => {
    const wallet = await newWallet();
    const call = newId();
    await wallet.place(call, 90);
    expect(await wallet.settle(call, 92)).toEqual({ captured: 90, first: true });
  });

  it("refuses what isn't available, counting other calls' holds as spent", async () => {
    const wallet = await newWallet({ balance: 100 });
    const [first, second] = [newId(), newId()];
    await wallet.place(first, 90);
    await expect(wallet.place(second, 11)).rejects.toMatchObject({
      code: "insufficient_balance",
      message: expect.stringContaining("10 are available"),
    });
    expect(await wallet.extend(first, 11)).toBe(false);
    expect(await wallet.read()).toMatchObject({ balance: 100, held: 90 });
    await expect(wallet.move(-11)).rejects.toMatchObject({ code: "insufficient_balance" });
    await wallet.place(second, 10);
    expect(await wallet.read()).toMatchObject({ held: 100, available: 0 });
  });

  it("asks nothing of an empty wallet for a call that is free", async () => {
    const wallet = await newWallet({ balance: 0 });
    const call = newId();
    await wallet.place(call, 0);
    expect(await wallet.extend(call, 0)).toBe(true);
    expect(await wallet.settle(call, 0)).toEqual({ captured: 0, first: true });
    await expect(wallet.place(newId(), 1)).rejects.toMatchObject({ code: "insufficient_balance" });
  });

  it("lets as many calls start at once as the balance pays for", async () => {
    const wallet = await newWallet({ balance: 450 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => wallet.place(newId(), 90)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await wallet.read()).toMatchObject({ held: 450, available: 0 });
  });

  it("leaves nothing behind when the call's transaction rolls back", async () => {
    const wallet = await newWallet();
    const call = newId();
    await expect(
      database.transaction(async (transaction) => {
        await placeHold({ clock }, transaction, {
          organizationId: wallet.organizationId,
          callId: call,
          tokens: 90,
        });
        throw new Error("the insert failed");
      }),
    ).rejects.toThrow("the insert failed");
    expect(await wallet.read()).toMatchObject({ held: 0 });
    await expect(wallet.settle(call, 1)).rejects.toThrow("Nothing was held");
  });

  it("reports the fall to the threshold when a call is charged, not when it holds", async () => {
    const wallet = await newWallet({ balance: 1000, threshold: 950 });
    const [first, second] = [newId(), newId()];
    await wallet.place(first, 90);
    await wallet.place(second, 90);
    expect(await wallet.events()).toEqual([]);
    await wallet.settle(first, 50);
    await wallet.settle(second, 50);
    expect(await wallet.events()).toEqual([
      { data: { current_balance: 950, threshold: 950, estimated_calls_remaining: 9 } },
    ]);
  });

  it("names an organization that doesn't exist", async () => {
    const deps = { database, clock };
    const nowhere = { organizationId: newId(), callId: newId(), tokens: 1 };
    await expect(extendHold(deps, nowhere)).rejects.toMatchObject({ code: "organization_not_found" });
    await expect(
      database.transaction((transaction) => placeHold(deps, transaction, nowhere)),
    ).rejects.toMatchObject({ code: "organization_not_found" });
  });
});
