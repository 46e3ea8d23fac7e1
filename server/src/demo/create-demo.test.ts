import { afterAll, beforeAll, expect, it } from "vitest";
import { idsFrom } from "../ids.ts";
import { startTestService, type TestService } from "../testing/harness.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createDemo } from "./index.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const count = async (table: string) => {
  const [row] = await service.database.query<{ n: number }>({
    text: `SELECT count(*)::int AS n FROM ${table}`,
  });
  return row!.n;
};

it("is made once, whole and usable, however many start at the same time", async () => {
  const deps = { database: service.database, clock: service.clock, newId: idsFrom(service.clock) };

  // Fails at its last step: nothing of it may stay.
  const ids = idsFrom(service.clock);
  await expect(
    createDemo({
      ...deps,
      newId: () => {
        throw new Error("no ids today");
      },
    }),
  ).rejects.toThrow("no ids today");
  let left = 12;
  await expect(
    createDemo({
      ...deps,
      newId: () => {
        if (left-- === 0) throw new Error("no more ids");
        return ids();
      },
    }),
  ).rejects.toThrow("no more ids");
  expect(await count("organizations")).toBe(0);
  expect(await count("api_keys")).toBe(0);

  const made = (await Promise.all(Array.from({ length: 8 }, () => createDemo(deps)))).filter(Boolean);
  expect(made).toHaveLength(1);
  const demo = made[0]!;
  expect(await count("organizations")).toBe(2);
  expect(await count("api_keys")).toBe(2);

  const account = await service.call("/v1/account", { key: demo.liveKey });
  expect(account.body).toMatchObject({
    id: demo.organizationId,
    key_mode: "live",
    sandbox: false,
    balance_tokens: demo.tokens,
  });
  const sandbox = await service.call("/v1/account", { key: demo.sandboxKey });
  expect(sandbox.body).toMatchObject({ key_mode: "test", sandbox: true });
  const campaign = await service.call(`/v1/campaigns/${demo.campaignId}`, { key: demo.liveKey });
  expect(campaign).toMatchObject({
    status: 200,
    body: { status: "draft", assigned_ai_agent_id: demo.agentId },
  });
  const leads = await service.call<{ data: { phone_number: string; status: string }[] }>(
    `/v1/leads?campaign_id=${demo.campaignId}`,
    { key: demo.liveKey },
  );
  expect(leads.body.data.map(({ phone_number }) => phone_number.slice(5)).sort()).toEqual(
    Array.from({ length: 10 }, (_, what) => `555010${what}`),
  );
  const numbers = await service.callPrivate(`/private/v1/organizations/${demo.organizationId}/numbers`);
  expect(numbers.body.data).toMatchObject([{ phone_number: demo.callerId, carrier: "simulated" }]);

  expect(await createDemo(deps)).toBeNull();
});

// Saturday, a federal holiday, and a Wednesday in summer.
it.each(["2026-11-21", "2026-12-25", "2026-07-15"])(
  "has a campaign whose leads may all be called at 18:00 UTC on %s",
  async (day) => {
    const testDatabase = await createTestDatabase();
    const clock = manualClock(Date.parse(`${day}T18:00:00Z`));
    const other = await startTestService({ testDatabase, clock });
    try {
      const demo = (await createDemo({ database: other.database, clock, newId: idsFrom(clock) }))!;
      const path = `/private/v1/organizations/${demo.organizationId}/campaigns/${demo.campaignId}`;
      expect((await other.callPrivate(`${path}/preview`)).body).toMatchObject({
        leads: 10,
        dialable_now: 10,
      });
    } finally {
      await other.close();
      await testDatabase.drop();
    }
  },
);

it("isn't made where there is an organization already", async () => {
  const testDatabase = await createTestDatabase();
  const other = await startTestService({ testDatabase });
  try {
    await other.newOrganization();
    const deps = { database: other.database, clock: other.clock, newId: idsFrom(other.clock) };
    expect(await createDemo(deps)).toBeNull();
  } finally {
    await other.close();
    await testDatabase.drop();
  }
});
