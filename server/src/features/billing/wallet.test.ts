import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const ORGANIZATIONS = "/private/v1/organizations";
const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

interface LowBalance {
  current_balance: number;
  threshold: number;
  estimated_calls_remaining: number;
}

describe("the wallet", () => {
  const clock = manualClock();
  let app: TestService;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  afterAll(() => app.close());

  const newWallet = async (json: Record<string, unknown> = {}) => {
    const { body } = await app.callPrivate(ORGANIZATIONS, { json: { name: "W", ...json } });
    const id = String(body.id);
    const path = `${ORGANIZATIONS}/${id}/wallet`;
    return {
      id,
      read: async () => (await app.callPrivate(path)).body,
      credit: (sent: unknown) => {
        clock.advance(1);
        return app.callPrivate(`${path}/credits`, { json: sent, headers: { "x-outreach-actor": "ada" } });
      },
      setThreshold: (threshold: number) =>
        app.callPrivate(`${ORGANIZATIONS}/${id}`, {
          method: "PATCH",
          json: { low_balance_threshold: threshold },
        }),
      hold: (tokens: number) =>
        app.database.query({
          text: "UPDATE wallets SET held = $2 WHERE organization_id = $1",
          values: [id, tokens],
        }),
      lowBalances: async () => {
        const rows = await app.database.query<{ data: LowBalance }>({
          text: "SELECT data FROM events WHERE organization_id = $1 AND type = 'billing.low_balance' ORDER BY id",
          values: [id],
        });
        return rows.map(({ data }) => data);
      },
      ledger: () =>
        app.database.query<{ account: string; amount: number }>({
          text: "SELECT account, amount FROM ledger_entries WHERE organization_id = $1 ORDER BY id, account",
          values: [id],
        }),
    };
  };

  it("starts empty, or with an opening balance that stands in the ledger", async () => {
    const empty = await newWallet();
    expect(await empty.read()).toEqual({
      organization_id: empty.id,
      balance: 0,
      held: 0,
      available: 0,
      threshold: 10_000,
      holds: [],
      entries: [],
    });
    const opened = await newWallet({ balance_tokens: 20_000, low_balance_threshold: 500 });
    expect(await opened.read()).toMatchObject({
      balance: 20_000,
      threshold: 500,
      entries: [{ kind: "credit", tokens: 20_000, balance: 20_000, note: "Opening balance" }],
    });
    expect(await opened.ledger()).toHaveLength(2);
  });

  it("credits and debits against the funding account", async () => {
    const wallet = await newWallet();
    const credited = await wallet.credit({ tokens: 1000, note: "invoice 7" });
    expect(credited).toMatchObject({
      status: 201,
      body: {
        kind: "credit",
        tokens: 1000,
        balance: 1000,
        note: "invoice 7",
        actor: "ada",
        idempotency_key: null,
        created_at: new Date(clock.now()).toISOString(),
      },
    });
    const debited = await wallet.credit({ tokens: -400 });
    expect(debited).toMatchObject({ status: 201, body: { kind: "debit", tokens: -400, balance: 600 } });
    expect(await wallet.read()).toMatchObject({
      balance: 600,
      available: 600,
      entries: [debited.body, credited.body],
    });
    expect((await wallet.ledger()).map(({ account, amount }) => `${account} ${amount}`).sort()).toEqual([
      "funding -1000",
      "funding 400",
      "wallet -400",
      "wallet 1000",
    ]);
    const { body: audit } = await app.callPrivate(`${ORGANIZATIONS}/${wallet.id}/audit?subject_type=wallet`);
    expect(audit.data).toMatchObject([
      { action: "wallet.debited", actor: "ada", details: { tokens: -400, balance: 600 } },
      { action: "wallet.credited", actor: "ada", details: { note: "invoice 7" } },
    ]);
  });

  it.each([
    [{}],
    [{ tokens: 0 }],
    [{ tokens: -0 }],
    [{ tokens: 1.5 }],
    [{ tokens: "1000" }],
    [{ tokens: 1e12 + 1 }],
    [{ tokens: -1e12 - 1 }],
    [{ tokens: 1e300 }],
    [{ tokens: 1, note: 5 }],
    [{ tokens: 1, idempotency_key: "" }],
    [{ tokens: 1, idempotency_key: "é" }],
  ])("refuses %j", async (json) => {
    const wallet = await newWallet();
    expect(await wallet.credit(json)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await wallet.ledger()).toEqual([]);
  });

  it("moves up to a trillion at a time, and stays exact", async () => {
    const wallet = await newWallet();
    expect((await wallet.credit({ tokens: 1e12 })).body).toMatchObject({ balance: 1e12 });
    expect((await wallet.credit({ tokens: -1 })).body).toMatchObject({ balance: 999_999_999_999 });
    await app.database.query({
      text: "UPDATE wallets SET balance = $2 WHERE organization_id = $1",
      values: [wallet.id, 1e15 - 1],
    });
    expect((await wallet.credit({ tokens: 1 })).body).toMatchObject({ balance: 1e15 });
    expect(await wallet.credit({ tokens: 1 })).toMatchObject({ status: 409, body: { error: "conflict" } });
  });

  it("debits no more than is there, nor what running calls hold", async () => {
    const wallet = await newWallet({ balance_tokens: 100 });
    expect(await wallet.credit({ tokens: -101 })).toMatchObject({
      status: 402,
      body: { error: "insufficient_balance" },
    });
    await wallet.hold(30);
    expect((await wallet.credit({ tokens: -71 })).status).toBe(402);
    expect((await wallet.credit({ tokens: -70 })).status).toBe(201);
    expect(await wallet.read()).toMatchObject({ balance: 30, held: 30, available: 0 });
    expect((await wallet.credit({ tokens: 5 })).status).toBe(201);
  });

  it("does what an idempotency key stands for once", async () => {
    const wallet = await newWallet();
    const first = await wallet.credit({ tokens: 50, note: "once", idempotency_key: "invoice 7" });
    expect(first).toMatchObject({ status: 201, body: { idempotency_key: "invoice 7" } });
    await wallet.credit({ tokens: 1 });
    const again = await wallet.credit({ tokens: 50, note: "twice", idempotency_key: "invoice 7" });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(await wallet.credit({ tokens: 51, idempotency_key: "invoice 7" })).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
    expect(await wallet.read()).toMatchObject({ balance: 51 });

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => wallet.credit({ tokens: 9, idempotency_key: "at once" })),
    );
    expect(new Set(answers.map(({ body }) => body.transfer_id)).size).toBe(1);
    expect(await wallet.read()).toMatchObject({ balance: 60 });
    const other = await newWallet();
    expect((await other.credit({ tokens: 3, idempotency_key: "invoice 7" })).body).toMatchObject({
      balance: 3,
    });
  });

  it("reports a low balance once per dip", async () => {
    const wallet = await newWallet({ balance_tokens: 1_001, low_balance_threshold: 1_000 });
    await wallet.hold(91);
    await wallet.credit({ tokens: -1 });
    expect(await wallet.lowBalances()).toEqual([
      { current_balance: 1_000, threshold: 1_000, estimated_calls_remaining: 10 },
    ]);
    await wallet.credit({ tokens: -100 });
    await wallet.credit({ tokens: 100 });
    await wallet.credit({ tokens: -100 });
    expect(await wallet.lowBalances()).toHaveLength(1);
    await wallet.credit({ tokens: 101 });
    await wallet.credit({ tokens: -500 });
    expect(await wallet.lowBalances()).toMatchObject([{}, { current_balance: 501 }]);
  });

  it("reports nothing of an organization that starts low, nor of credits that leave it low", async () => {
    const wallet = await newWallet({ balance_tokens: 5_000 });
    await wallet.credit({ tokens: 5_000 });
    await wallet.credit({ tokens: -1 });
    expect(await wallet.lowBalances()).toEqual([]);
    const sound = await newWallet({ balance_tokens: 10_001 });
    await sound.credit({ tokens: -10_001 });
    expect(await sound.lowBalances()).toEqual([
      { current_balance: 0, threshold: 10_000, estimated_calls_remaining: 0 },
    ]);
  });

  it("reports a threshold that is raised to the balance, and is armed again by one that is lowered", async () => {
    const wallet = await newWallet({ balance_tokens: 100, low_balance_threshold: 10 });
    await wallet.setThreshold(99);
    expect(await wallet.lowBalances()).toEqual([]);
    await wallet.setThreshold(100);
    await wallet.setThreshold(200);
    expect(await wallet.lowBalances()).toMatchObject([{ current_balance: 100, threshold: 100 }]);
    await wallet.setThreshold(50);
    await wallet.credit({ tokens: -50 });
    expect(await wallet.lowBalances()).toMatchObject([{}, { current_balance: 50, threshold: 50 }]);
  });

  it("counts calls that are free at a token each", async () => {
    const wallet = await newWallet({ balance_tokens: 20, low_balance_threshold: 10 });
    await app.database.query({
      text: "UPDATE organizations SET phone_rate_per_minute = 0 WHERE organization_id = $1",
      values: [wallet.id],
    });
    await wallet.credit({ tokens: -12 });
    expect(await wallet.lowBalances()).toMatchObject([{ estimated_calls_remaining: 8 }]);
  });

  it("queues a delivery to who asked for the event", async () => {
    const wallet = await newWallet({ balance_tokens: 20, low_balance_threshold: 10 });
    await app.database.query({
      text: `INSERT INTO webhook_subscriptions
               (organization_id, id, name, target_url, event_types, secret, enabled, created_at, updated_at)
             VALUES ($1, gen_random_uuid(), 'w', 'https://example.com', '{billing.low_balance}', 's', true, now(), now())`,
      values: [wallet.id],
    });
    await wallet.credit({ tokens: -10 });
    const deliveries = await app.database.query({
      text: "SELECT 1 FROM webhook_deliveries WHERE organization_id = $1",
      values: [wallet.id],
    });
    expect(deliveries).toHaveLength(1);
  });

  it("shows the latest 50 entries", async () => {
    const wallet = await newWallet();
    for (let tokens = 1; tokens <= 52; tokens++) await wallet.credit({ tokens });
    const { entries } = (await wallet.read()) as { entries: { tokens: number }[] };
    expect(entries.map(({ tokens }) => tokens)).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index));
  });

  it("names an organization that doesn't exist", async () => {
    for (const answer of [
      await app.callPrivate(`${ORGANIZATIONS}/${UNKNOWN}/wallet`),
      await app.callPrivate(`${ORGANIZATIONS}/${UNKNOWN}/wallet/credits`, { json: { tokens: 1 } }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
  });
});
