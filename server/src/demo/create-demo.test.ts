import { afterAll, beforeAll, expect, it } from "vitest";
import { idsFrom } from "../ids.ts";
import { startTestService, type TestService } from "../testing/harness.ts";
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
  expect(campaign).toMatchObject({ status: 200, body: { status: "draft" } });
  const numbers = await service.callPrivate(`/private/v1/organizations/${demo.organizationId}/numbers`);
  expect(numbers.body.data).toMatchObject([{ phone_number: demo.callerId, carrier: "simulated" }]);

  expect(await createDemo(deps)).toBeNull();
});

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
