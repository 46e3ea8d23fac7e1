import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

describe("the compliance check", () => {
  const clock = manualClock(Date.parse("2026-03-04T12:30:00Z"));
  let app: TestService;
  let organizationId: string;
  let key: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
    ({ organizationId, key } = await app.newOrganization());
  });
  afterAll(() => app.close());

  const check = (query: string, id = organizationId) =>
    app.callPrivate(`/private/v1/organizations/${id}/compliance/check?${query}`);

  it("answers for now", async () => {
    expect(await check("phone_number=(212)%20555-0100")).toMatchObject({
      status: 200,
      body: {
        ...{ phone_number: "+12125550100", allowed: false, reason: "outside_window", rule_id: "us-hours" },
        ...{ rule_version: 1, citation: "47 CFR 64.1200(c)(1)", states: ["NY"] },
        zones: [{ timezone: "America/New_York", local_time: "2026-03-04T07:30:00" }],
        ...{ decided_at: "2026-03-04T12:30:00.000Z", next_allowed_at: "2026-03-04T13:00:00.000Z" },
      },
    });
  });

  it("answers for another time", async () => {
    const { body } = await check("phone_number=2125550100&at=2026-03-04T08:00:00-05:00");
    expect(body).toMatchObject({ allowed: true, reason: null, next_allowed_at: null });
    const extremes = ["0001-01-01", "9999-12-31T23:59:59Z"];
    for (const at of extremes) {
      expect(await check(`phone_number=2125550100&at=${at}`)).toMatchObject({
        ...{ status: 200, body: { reason: "outside_window", zones: [], next_allowed_at: null } },
      });
    }
  });

  it("looks at the organization's list and the lead's status", async () => {
    const headers = { "x-outreach-actor": "ada" };
    const dnc = `/private/v1/organizations/${organizationId}/dnc`;
    await app.callPrivate(dnc, { json: { phone_number: "2125550101" }, headers });
    expect((await check("phone_number=2125550101")).body).toMatchObject({
      reason: "dnc",
      next_allowed_at: null,
    });
    await app.call("/v1/leads", { key, json: { phone_number: "2125550102", status: "do_not_call" } });
    expect((await check("phone_number=2125550102")).body).toMatchObject({ reason: "opted_out" });
    const other = await app.newOrganization();
    expect((await check("phone_number=2125550101", other.organizationId)).body.reason).toBe("outside_window");
  });

  it("keeps to the organization's own cap of attempts", async () => {
    const strict = await app.newOrganization();
    const organization = `/private/v1/organizations/${strict.organizationId}`;
    await app.callPrivate(organization, { method: "PATCH", json: { daily_attempt_cap: 0 } });
    const query = "phone_number=2125550100&at=2026-03-04T18:00:00Z";
    expect((await check(query, strict.organizationId)).body).toMatchObject({
      ...{ allowed: false, reason: "frequency_cap", rule_id: "organization-frequency-cap" },
    });
    expect((await check(query)).body.allowed).toBe(true);
  });

  it("has no zone for toll-free numbers", async () => {
    expect((await check("phone_number=8005550100")).body).toMatchObject({
      reason: "timezone_unknown",
      zones: [],
    });
  });

  it("refuses what is no number, no time and no organization", async () => {
    expect(await check("phone_number=12")).toMatchObject({
      status: 400,
      body: { error: "invalid_phone_number" },
    });
    expect(await check("")).toMatchObject({ status: 400, body: { error: "invalid_phone_number" } });
    expect(await check("phone_number=2125550100&at=noon")).toMatchObject({ status: 400 });
    expect(await check("phone_number=2125550100", "0190f0f0-0000-7000-8000-000000000000")).toMatchObject({
      ...{ status: 404, body: { error: "organization_not_found" } },
    });
  });
});
