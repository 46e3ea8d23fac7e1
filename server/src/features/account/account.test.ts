import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../http/scopes.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";

describe("account", () => {
  let app: TestService;
  beforeAll(async () => {
    app = await startTestService();
  });
  afterAll(() => app.close());
  const read = (key: string) => app.call("/v1/account", { key });

  it("shows the organization and what the key may do", async () => {
    const { organizationId, key } = await app.newOrganization({ rateLimit: 77 });
    await app.database.query({
      text: "UPDATE wallets SET balance = 9 WHERE organization_id = $1",
      values: [organizationId],
    });
    expect(await read(key)).toMatchObject({
      status: 200,
      body: {
        id: organizationId,
        name: "Test",
        status: "active",
        sandbox: false,
        key_mode: "live",
        voice_calls_allowed: true,
        scopes: [...SCOPES],
        rate_limit_per_minute: 77,
        balance_tokens: 9,
        balance_usd: 0.009,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  it("allows no voice calls in a sandbox", async () => {
    const { key } = await app.newOrganization({ sandbox: true, scopes: ["account:read"] });
    expect(key).toMatch(/^service_test_/);
    expect((await read(key)).body).toMatchObject({
      sandbox: true,
      key_mode: "test",
      voice_calls_allowed: false,
      scopes: ["account:read"],
      balance_tokens: 0,
      balance_usd: 0,
    });
  });

  it.each([
    ["status = 'suspended'", { status: "suspended", voice_calls_allowed: false }],
    ["voice_enabled = false", { status: "active", voice_calls_allowed: false }],
  ])("can be read with %s", async (change, body) => {
    const { organizationId, key } = await app.newOrganization();
    await app.database.query({
      text: `UPDATE organizations SET ${change} WHERE organization_id = $1`,
      values: [organizationId],
    });
    expect(await read(key)).toMatchObject({ status: 200, body });
  });

  it("needs its scope", async () => {
    const { key } = await app.newOrganization({ scopes: ["leads:read"] });
    expect(await read(key)).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope", required: "account:read" },
    });
  });
});
