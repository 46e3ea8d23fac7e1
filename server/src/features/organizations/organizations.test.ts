import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const PATH = "/private/v1/organizations";
const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

describe("organizations", () => {
  const clock = manualClock();
  let app: TestService;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  afterAll(() => app.close());

  const create = async (json: Record<string, unknown>) => (await app.callPrivate(PATH, { json })).body;
  const patch = (id: unknown, json: unknown) =>
    app.callPrivate(`${PATH}/${String(id)}`, {
      method: "PATCH",
      json,
      headers: { "x-outreach-actor": "ada" },
    });

  it("creates one with defaults, and one with everything said", async () => {
    const created = await app.callPrivate(PATH, { json: { name: "Plain" } });
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "Plain",
        status: "active",
        sandbox: false,
        voice_enabled: true,
        concurrency_limit: 10,
        low_balance_threshold: 10_000,
        phone_rate_per_minute: 90,
        browser_rate_per_minute: 60,
        timezone: "America/New_York",
        appointment_hours: {},
        balance_tokens: 0,
        created_at: new Date(clock.now()).toISOString(),
        updated_at: new Date(clock.now()).toISOString(),
      },
    });
    const sandbox = await create({
      name: "é".repeat(120),
      sandbox: true,
      balance_tokens: 5_000,
      concurrency_limit: 0,
      low_balance_threshold: 0,
      phone_rate_per_minute: 0,
      browser_rate_per_minute: 1_000_000,
      timezone: "europe/berlin",
    });
    expect(sandbox).toMatchObject({
      name: "é".repeat(120),
      sandbox: true,
      voice_enabled: false,
      balance_tokens: 5_000,
      concurrency_limit: 0,
      low_balance_threshold: 0,
      phone_rate_per_minute: 0,
      browser_rate_per_minute: 1_000_000,
      timezone: "Europe/Berlin",
    });
    expect((await app.callPrivate(`${PATH}/${String(sandbox.id)}`)).body).toEqual(sandbox);
  });

  it.each([
    [{}, "invalid_request"],
    [{ name: "" }, "invalid_request"],
    [{ name: "  " }, "invalid_request"],
    [{ name: "x".repeat(121) }, "invalid_request"],
    [{ name: 5 }, "invalid_request"],
    [{ name: "x\u0000" }, "invalid_request"],
    [{ name: "x", concurrency_limit: -1 }, "invalid_request"],
    [{ name: "x", concurrency_limit: 1.5 }, "invalid_request"],
    [{ name: "x", concurrency_limit: 1e300 }, "invalid_request"],
    [{ name: "x", low_balance_threshold: -1 }, "invalid_request"],
    [{ name: "x", low_balance_threshold: 1e12 + 1 }, "invalid_request"],
    [{ name: "x", phone_rate_per_minute: -1 }, "invalid_request"],
    [{ name: "x", phone_rate_per_minute: 1.5 }, "invalid_request"],
    [{ name: "x", browser_rate_per_minute: 1_000_001 }, "invalid_request"],
    [{ name: "x", balance_tokens: -1 }, "invalid_request"],
    [{ name: "x", balance_tokens: 1e12 + 1 }, "invalid_request"],
    [{ name: "x", sandbox: "yes" }, "invalid_request"],
    [{ name: "x", timezone: "Mars/Olympus" }, "invalid_request"],
    [{ name: "x", timezone: "+05:30" }, "invalid_request"],
    [{ name: "x", timezone: "" }, "invalid_request"],
    [{ name: "x", status: "suspended" }, "unknown_field:status"],
    [[], "invalid_request"],
  ])("refuses to create from %j: %s", async (json, error) => {
    expect(await app.callPrivate(PATH, { json })).toMatchObject({ status: 400, body: { error } });
  });

  it("takes time zones that the runtime knows by another name", async () => {
    for (const timezone of ["Asia/Kolkata", "US/Eastern", "UTC", "Etc/GMT+5"])
      expect(await create({ name: "Zone", timezone })).toMatchObject({ timezone });
  });

  it("lists them newest first, page by page", async () => {
    clock.advance(1000);
    const first = await create({ name: "First" });
    clock.advance(1000);
    const second = await create({ name: "Second" });
    expect((await app.callPrivate(`${PATH}?limit=2`)).body).toEqual({
      data: [second, first],
      limit: 2,
      offset: 0,
    });
    expect((await app.callPrivate(`${PATH}?limit=1&offset=1`)).body).toMatchObject({ data: [first] });
    expect((await app.callPrivate(`${PATH}?limit=1000`)).body).toMatchObject({ limit: 200 });
    expect(await app.callPrivate(`${PATH}?limit=0`)).toMatchObject({ status: 400 });
  });

  it("changes what is sent, and says in the audit log what was and is", async () => {
    const before = await create({ name: "Before" });
    clock.advance(1000);
    const changes = {
      name: "After",
      status: "suspended",
      voice_enabled: false,
      concurrency_limit: 3,
      low_balance_threshold: 7,
      phone_rate_per_minute: 120,
      browser_rate_per_minute: 0,
      timezone: "UTC",
    };
    const changed = await patch(before.id, changes);
    expect(changed).toMatchObject({
      status: 200,
      body: { ...changes, id: before.id, updated_at: new Date(clock.now()).toISOString() },
    });
    expect((await app.callPrivate(`${PATH}/${String(before.id)}`)).body).toEqual(changed.body);
    const { body: audit } = await app.callPrivate(
      `${PATH}/${String(before.id)}/audit?action=organization.updated`,
    );
    expect(audit.data).toMatchObject([
      {
        actor: "ada",
        subject_id: before.id,
        details: { changes: { name: { from: "Before", to: "After" }, status: { from: "active" } } },
      },
    ]);
  });

  it("keeps the hours of appointments by the day, and says which can't be", async () => {
    const { id } = await create({ name: "Open" });
    const hours = { sat: ["10:00-14:00"], mon: ["09:00-12:00", "13:00-24:00"] };
    expect((await patch(id, { appointment_hours: hours })).body).toMatchObject({ appointment_hours: hours });
    expect((await app.callPrivate(`${PATH}/${String(id)}`)).body).toMatchObject({ appointment_hours: hours });
    for (const mon of [["9-17"], ["12:00-09:00"], ["09:00-12:00", "11:00-13:00"], "09:00-17:00", [1]]) {
      const refused = await patch(id, { appointment_hours: { mon } });
      expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
    expect(await patch(id, { appointment_hours: { noday: [] } })).toMatchObject({ status: 400 });
    expect((await patch(id, { appointment_hours: {} })).body).toMatchObject({ appointment_hours: {} });
  });

  it("leaves no trace of a change that changes nothing", async () => {
    const before = await create({ name: "Same" });
    clock.advance(1000);
    expect((await patch(before.id, { name: "Same", status: "active" })).body).toEqual(before);
    const { body: audit } = await app.callPrivate(`${PATH}/${String(before.id)}/audit`);
    expect(audit.data).toMatchObject([{ action: "organization.created" }]);
  });

  it("keeps a sandbox's voice off", async () => {
    const sandbox = await create({ name: "Sandbox", sandbox: true });
    expect(await patch(sandbox.id, { voice_enabled: true, name: "x" })).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.stringContaining("sandbox") },
    });
    expect((await patch(sandbox.id, { voice_enabled: false })).body).toEqual(sandbox);
  });

  it("stops writes at once when it is suspended, and lets them in again", async () => {
    const { organizationId, key } = await app.newOrganization();
    const write = () => app.call("/v1/leads", { key, json: { phone_number: "4155550100" } });
    expect((await write()).status).toBe(201);
    // The path's id in another spelling must reach the same cached keys.
    await patch(organizationId.toUpperCase(), { status: "suspended" });
    expect(await write()).toMatchObject({ status: 403, body: { error: "organization_not_active" } });
    await patch(organizationId, { status: "active" });
    expect((await write()).status).toBe(200);
  });

  it.each([
    [{}, 400, "nothing_to_update"],
    [{ status: "closed" }, 400, "invalid_request"],
    [{ name: null }, 400, "invalid_request"],
    [{ phone_rate_per_minute: null }, 400, "invalid_request"],
    [{ browser_rate_per_minute: -1 }, 400, "invalid_request"],
    [{ voice_enabled: "on" }, 400, "invalid_request"],
    [{ timezone: "Nowhere" }, 400, "invalid_request"],
    [{ sandbox: true }, 400, "unknown_field:sandbox"],
  ])("refuses to change by %j", async (json, status, error) => {
    const { id } = await create({ name: "Kept" });
    expect(await patch(id, json)).toMatchObject({ status, body: { error } });
  });

  it("names one that doesn't exist", async () => {
    for (const answer of [
      await app.callPrivate(`${PATH}/${UNKNOWN}`),
      await patch(UNKNOWN, { name: "x" }),
      await patch(UNKNOWN, { low_balance_threshold: 1 }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
    expect(await app.callPrivate(`${PATH}/nope`)).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  });
});
