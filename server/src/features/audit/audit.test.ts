import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

describe("the audit log", () => {
  const clock = manualClock();
  let app: TestService;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  afterAll(() => app.close());

  it("lists newest first, by subject and action, of its organization alone", async () => {
    const { organizationId, keyId } = await app.newOrganization();
    const other = await app.newOrganization();
    const audit = async (query = "", id = organizationId) =>
      (await app.callPrivate(`/private/v1/organizations/${id}/audit${query}`)).body;
    clock.advance(1);
    await app.callPrivate(`/private/v1/organizations/${organizationId}/wallet/credits`, {
      json: { tokens: 5 },
    });
    clock.advance(1);
    await app.callPrivate(`/private/v1/organizations/${organizationId}/keys/${keyId}/revoke`, {
      method: "POST",
    });
    const all = (await audit()).data as { action: string; created_at: string }[];
    expect(all[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      actor: "operator",
      action: "api_key.revoked",
      subject_type: "api_key",
      subject_id: keyId,
      created_at: new Date(clock.now()).toISOString(),
    });
    expect(all[1]).toMatchObject({ action: "wallet.credited", details: { tokens: 5, balance: 5 } });
    expect(
      all
        .slice(2)
        .map(({ action }) => action)
        .sort(),
    ).toEqual(["api_key.created", "organization.created"]);
    expect((await audit("?limit=1&offset=1")).data).toEqual([all[1]]);
    expect((await audit("?subject_type=api_key")).data).toHaveLength(2);
    expect((await audit("?action=api_key.revoked")).data).toEqual([all[0]]);
    expect((await audit("?subject_type=wallet&action=api_key.revoked")).data).toEqual([]);
    expect((await audit("", other.organizationId)).data).toHaveLength(2);
    expect(await audit("", "0190f0f0-0000-7000-8000-000000000000")).toMatchObject({
      error: "organization_not_found",
    });
  });
});
