import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase, type Queryable } from "../../database/database.ts";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { claimLeads } from "./claim-leads.ts";
import type { ClaimedAttempt } from "./claimed-attempt.ts";
import { createDialer, type DialerDeps } from "./create-dialer.ts";
import { dropLostClaims } from "./drop-claims.ts";
import { markDialed } from "./mark-dialed.ts";

/** What happens between a claim and its dialing, and between dialers. */

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

let subscriber = 1_000;
const newNumber = () => `+1212555${subscriber++}`;

async function until<T>(
  { clock }: DialingHarness,
  look: () => Promise<T> | T,
  isSo: (found: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (performance.now() > deadline) throw new Error(`It isn't so: ${JSON.stringify(found)}`);
    clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("between a claim and its dialing", () => {
  let dialing: DialingHarness;
  beforeAll(async () => {
    dialing = await startDialingHarness({ testDatabase });
  });
  afterAll(() => dialing.close());

  /** So many wait for a lock that somebody holds: the opening of a call is one. */
  const waiting = (on: Queryable, count: number) =>
    until(
      dialing,
      () =>
        on.query<{ waiting: number }>({
          text: `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
                 WHERE NOT granted AND datname = current_database() AND locktype IN ('transactionid', 'tuple')`,
        }),
      ([found]) => found!.waiting >= count,
    );

  /** Holds up the opening of a call at the lock of this row until what may come in between has come. */
  async function between(
    campaign: TestCampaign,
    table: "wallets" | "phone_numbers",
    work: (lead: { id: string; number: string }) => Promise<unknown>,
    lead: Readonly<Record<string, unknown>> = {},
  ) {
    const number = newNumber();
    const id = await dialing.app.database.transaction(async (transaction) => {
      await transaction.query({
        text: `SELECT FROM ${table} WHERE organization_id = $1 FOR UPDATE`,
        values: [campaign.organizationId],
      });
      const leadId = await campaign.addLead(number, lead);
      await until(dialing, campaign.attempts, (attempts) =>
        attempts.some(({ lead_id }) => lead_id === leadId),
      );
      await waiting(transaction, 1);
      await work({ id: leadId, number });
      return leadId;
    });
    const settled = await until(dialing, campaign.attempts, (attempts) =>
      attempts.every(({ state }) => state !== "claimed"),
    );
    return {
      id,
      attempts: settled.filter(({ lead_id }) => lead_id === id),
      calls: dialing.plane.calls.filter(({ dial }) => dial?.to === number),
    };
  }

  it("a stop stops", async () => {
    const campaign = await dialing.newCampaign();
    const { id, attempts, calls } = await between(campaign, "wallets", () => campaign.steer("pause"));
    expect(calls).toEqual([]);
    expect(attempts).toMatchObject([{ state: "dropped", outcome: "conflict", dialed_at: null }]);
    expect(await campaign.entry(id)).toMatchObject({ state: "waiting", attempts: 0 });
    await campaign.steer("resume");
    await until(dialing, campaign.attempts, (all) => all.some(({ state }) => state === "dialed"));
    await dialing.plane.last().end({ status: "busy", outcome: "busy" });
  });

  // Before the list was looked at, and after: while the call waits for the wallet.
  it.each(["phone_numbers", "wallets"] as const)(
    "a number that is put on the list isn't dialed (%s)",
    async (table) => {
      const campaign = await dialing.newCampaign();
      const { id, attempts, calls } = await between(campaign, table, ({ number }) =>
        dialing.app.callPrivate(`${campaign.path}/dnc`, { json: { phone_number: number } }),
      );
      expect(calls).toEqual([]);
      expect(attempts).toMatchObject([{ state: "dropped", outcome: "destination_on_dnc" }]);
      await until(
        dialing,
        () => campaign.entry(id),
        ({ state, verdict_reason }) => state === "blocked" && verdict_reason === "dnc",
      );
    },
  );

  it("a lead that is taken away isn't dialed", async () => {
    const campaign = await dialing.newCampaign();
    for (const [json, state] of [
      [{ campaign_id: null }, "left"],
      [{ status: "customer" }, "done"],
    ] as const) {
      const { id, attempts, calls } = await between(campaign, "wallets", ({ id: lead }) =>
        dialing.app.call(`/v1/leads/${lead}`, { key: campaign.key, method: "PATCH", json }),
      );
      expect(calls).toEqual([]);
      expect(attempts).toMatchObject([{ state: "dropped" }]);
      await until(
        dialing,
        () => campaign.entry(id),
        (entry) => entry.state === state,
      );
    }
  });

  it("a lead that takes back its consent isn't dialed", async () => {
    const campaign = await dialing.newCampaign({ fields: { require_consent: true } });
    const { id, attempts, calls } = await between(
      campaign,
      "wallets",
      ({ id: lead }) =>
        dialing.app.call(`/v1/leads/${lead}`, {
          key: campaign.key,
          method: "PATCH",
          json: { consented_at: null },
        }),
      { consented_at: "2026-01-01" },
    );
    expect(calls).toEqual([]);
    expect(attempts).toMatchObject([{ state: "dropped" }]);
    await until(
      dialing,
      () => campaign.entry(id),
      ({ verdict_reason }) => verdict_reason === "no_consent",
    );
  });

  it("a number that the API calls meanwhile isn't dialed beside it", async () => {
    const campaign = await dialing.newCampaign();
    let api: Promise<unknown> = Promise.resolve();
    const number = newNumber();
    const other = await dialing.app.database.transaction(async (transaction) => {
      await transaction.query({
        text: "SELECT FROM wallets WHERE organization_id = $1 FOR UPDATE",
        values: [campaign.organizationId],
      });
      // First in the queue for the wallet.
      const json = { medium: "phone", to_number: number, system_prompt: "x" };
      api = dialing.app.call("/v1/calls", { key: campaign.key, json });
      await waiting(transaction, 1);
      const id = await campaign.addLead(number);
      await waiting(transaction, 2);
      return id;
    });
    expect(await api).toMatchObject({ status: 201 });
    await until(
      dialing,
      () => campaign.entry(other),
      ({ verdict_reason }) => verdict_reason === "number_in_flight",
    );
    expect(dialing.plane.calls.filter(({ dial }) => dial?.to === number)).toHaveLength(1);
    await dialing.plane.last().end({ status: "busy", outcome: "busy" });
    await campaign.steer("pause");
  });

  it("an hour that ends doesn't count any more", async () => {
    const end = Math.ceil(dialing.clock.now() / 60_000) * 60_000 + 120_000;
    const inNewYork = new Date(end - 4 * 3_600_000).toISOString().slice(11, 16);
    const campaign = await dialing.newCampaign({ fields: { window: `08:00-${inNewYork}` } });
    dialing.clock.moveTo(end - 15_000);
    const { id, attempts, calls } = await between(campaign, "wallets", async () => dialing.clock.moveTo(end));
    expect(calls).toEqual([]);
    expect(attempts).toMatchObject([{ state: "dropped", outcome: "conflict" }]);
    await until(
      dialing,
      () => campaign.entry(id),
      ({ verdict_reason }) => verdict_reason === "outside_window",
    );
  });

  it("a claim that was taken for lost is dialed by whoever claimed it since, and once", async () => {
    const campaign = await dialing.newCampaign();
    const { attempts, calls } = await between(campaign, "wallets", async () => {
      dialing.clock.advance(40_000);
      await until(dialing, campaign.attempts, (all) => all.length === 2);
    });
    expect(calls).toHaveLength(1);
    expect(attempts).toMatchObject([
      { state: "dropped", outcome: "lost" },
      { state: "dialed", id: calls[0]!.callId },
    ]);
    await calls[0]!.end({ status: "busy", outcome: "busy" });
  });
});

it("a service that is being closed dials nobody, and gives back what it has claimed", async () => {
  const dialing = await startDialingHarness({ testDatabase });
  const number = newNumber();
  const { database } = dialing.claims;
  let closing: Promise<void> | undefined;
  const campaign = await dialing.newCampaign();
  // Of another pool: the service's own is closed.
  const own = openDatabase({ connection: testDatabase.connection, poolSize: 1 });
  const attempts = (on: Queryable) =>
    on.query<{ state: string }>({
      text: "SELECT state FROM dial_attempts WHERE campaign_id = $1",
      values: [campaign.campaignId],
    });
  await own.transaction(async (transaction) => {
    await transaction.query({
      text: "SELECT FROM wallets WHERE organization_id = $1 FOR UPDATE",
      values: [campaign.organizationId],
    });
    await campaign.addLead(number);
    await until(
      dialing,
      () => attempts(database),
      ({ length }) => length === 1,
    );
    closing = dialing.close();
    await new Promise(setImmediate);
  });
  await closing;
  expect(dialing.plane.calls).toEqual([]);
  expect(await attempts(own)).toMatchObject([{ state: "dropped" }]);
  await own.close();
});

describe("several dialers", () => {
  let dialing: DialingHarness;
  beforeAll(async () => {
    dialing = await startDialingHarness({ testDatabase, dials: false });
  });
  afterAll(() => dialing.close());

  const withLeads = async (count: number, options: Parameters<DialingHarness["newCampaign"]>[0] = {}) => {
    const campaign = await dialing.newCampaign(options);
    await Promise.all(Array.from({ length: count }, () => campaign.addLead(newNumber())));
    return campaign;
  };
  const claim = ({ organizationId, campaignId }: TestCampaign, workerId: string) =>
    claimLeads(dialing.claims, { organizationId, campaignId, workerId });
  const workers = Array.from({ length: 4 }, (_, index) => `00000000-0000-7000-8000-00000000000${index}`);

  it("claim each lead once, and together no more than there are lines for", async () => {
    const campaign = await withLeads(40, { concurrency: 25 });
    const claims = await Promise.all(workers.map((worker) => claim(campaign, worker)));
    const claimed = claims.flatMap(({ attempts }) => attempts);
    expect(claimed).toHaveLength(25);
    expect(new Set(claimed.map(({ leadId }) => leadId)).size).toBe(25);
  });

  it("share one campaign's call starts a second", async () => {
    const campaign = await withLeads(10, { fields: { calls_per_second: 1 } });
    const count = async () =>
      (await Promise.all(workers.map((worker) => claim(campaign, worker)))).flatMap(
        ({ attempts }) => attempts,
      ).length;
    expect(await count()).toBe(1);
    expect(await count()).toBe(0);
    dialing.clock.advance(1_000);
    expect(await count()).toBe(1);
  });

  it("take over what a dead one has claimed, once its lease is over", async () => {
    const campaign = await withLeads(3);
    const [dead, alive] = workers as [string, string];
    expect((await claim(campaign, dead)).attempts).toHaveLength(3);
    expect((await claim(campaign, alive)).attempts).toHaveLength(0);
    await dropLostClaims(dialing.claims);
    expect((await claim(campaign, alive)).attempts).toHaveLength(0);
    dialing.clock.advance(32_000);
    await dropLostClaims(dialing.claims);
    dialing.clock.advance(1_000);
    expect((await claim(campaign, alive)).attempts).toHaveLength(3);
    expect((await campaign.attempts()).map(({ state }) => state).sort()).toEqual([
      ...Array(3).fill("claimed"),
      ...Array(3).fill("dropped"),
    ]);
  });

  it("dial on no count of a day's calls that has grown since the claim", async () => {
    const campaign = await withLeads(1);
    const [attempt] = (await claim(campaign, workers[0]!)).attempts;
    const { phoneNumber } = attempt!;
    const json = { medium: "phone", to_number: phoneNumber, system_prompt: "x" };
    expect(await dialing.app.call("/v1/calls", { key: campaign.key, json })).toMatchObject({ status: 201 });
    await dialing.plane.last().end({ status: "busy", outcome: "busy" });
    const mayDial = () =>
      dialing.app.database.transaction((transaction) => markDialed(dialing.claims, transaction, attempt!));
    expect(await mayDial()).toBe(false);
  });

  it("claim no more than their carriers can place", async () => {
    const campaign = await withLeads(6);
    const placed: ClaimedAttempt[] = [];
    let channels = 2;
    const dialer = createDialer({
      ...dialing.claims,
      workerId: workers[0]!,
      placer: {
        async place(attempt) {
          if (attempt.campaignId !== campaign.campaignId) return "conflict";
          placed.push(attempt);
          return null;
        },
        freeLines: async () => channels - placed.length,
      },
      onError: (what, error) => {
        throw new Error(what, { cause: error });
      },
    });
    const round = async () => {
      await dialer.round();
      await dialer.settled();
      return placed.length;
    };
    expect([await round(), await round()]).toEqual([2, 2]);
    channels = 5;
    expect(await round()).toBe(5);
    expect((await campaign.attempts()).length).toBe(5);
  });

  it("dial everybody once, whoever of them comes first, and nothing after a stop", async () => {
    const campaign = await withLeads(30, { concurrency: 100 });
    const dialed: string[] = [];
    const place: DialerDeps["placer"]["place"] = async (attempt) => {
      // Of a test before.
      if (attempt.campaignId !== campaign.campaignId) return "conflict";
      const may = await dialing.app.database.transaction((transaction) =>
        markDialed(dialing.claims, transaction, attempt),
      );
      if (may) dialed.push(attempt.leadId);
      return may ? null : "conflict";
    };
    const dialers = workers.map((workerId) =>
      createDialer({
        ...dialing.claims,
        placer: { place },
        workerId,
        onError: (what, error) => {
          throw new Error(what, { cause: error });
        },
      }),
    );
    await Promise.all(dialers.map((dialer) => dialer.round()));
    await Promise.all(dialers.map((dialer) => dialer.settled()));
    expect(dialed).toHaveLength(30);
    expect(new Set(dialed).size).toBe(30);

    await Promise.all(Array.from({ length: 10 }, () => campaign.addLead(newNumber())));
    // One that is asked to stop drops what it has claimed; the others find it.
    const [stopping, other] = dialers;
    const round = stopping!.round();
    await stopping!.stop();
    await round;
    await stopping!.stop();
    const before = dialed.length;
    await stopping!.settled();
    expect(dialed).toHaveLength(before);
    dialing.clock.advance(2_000);
    await other!.round();
    await other!.settled();
    expect(new Set(dialed).size).toBe(40);
    expect(dialed).toHaveLength(40);
  });
});
