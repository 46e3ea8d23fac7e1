import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

type Body = Record<string, unknown>;

describe("campaigns", () => {
  const clock = manualClock();
  let app: TestService;
  let organizationId: string;
  let key: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
    ({ organizationId, key } = await app.newOrganization());
    await setBalance(1);
  });
  afterAll(() => app.close());

  const setBalance = (balance: number, held = 0, of = organizationId) =>
    app.database.query({
      text: "UPDATE wallets SET balance = $2, held = $3 WHERE organization_id = $1",
      values: [of, balance, held],
    });
  const create = async (status?: string, of = organizationId) => {
    const made = await app.callPrivate(`/private/v1/organizations/${of}/campaigns`, {
      json: { name: "Spring", ...(status ? { status } : {}) },
    });
    expect(made.status).toBe(201);
    return made.body;
  };
  const steer = (verb: string, id: unknown, withKey = key) =>
    app.call(`/v1/campaigns/${id}/${verb}`, { method: "POST", key: withKey });
  const steerPrivately = (verb: string, id: unknown) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns/${id}/${verb}`, {
      method: "POST",
      headers: { "x-outreach-actor": "ada" },
    });
  /** A draft that has all it takes to be launched. */
  const createReady = async (options: Body = {}) => {
    const path = `/private/v1/organizations/${organizationId}`;
    const agent = await app.callPrivate(`${path}/agents`, { json: { name: "A", system_prompt: "Be kind." } });
    await app.callPrivate(`${path}/numbers`, { json: { phone_number: "2125550150" } });
    const made = await app.callPrivate(`${path}/campaigns`, {
      json: { name: "Ready", assigned_ai_agent_id: agent.body.id, ...options },
    });
    expect(made.status).toBe(201);
    await app.call("/v1/leads", { key, json: { phone_number: "8005550100", campaign_id: made.body.id } });
    return made.body;
  };
  const summaryOf = (campaign: Body) =>
    Object.fromEntries(
      [
        ...["id", "name", "status", "dialer_mode", "assigned_ai_agent_id", "launched_at", "paused_at"],
        ...["created_at", "updated_at"],
      ].map((field) => [field, campaign[field]]),
    );
  const statusOf = async (id: unknown) => (await app.call(`/v1/campaigns/${id}`, { key })).body.status;

  it("makes a draft for the AI dialer by default, and reads it back on both APIs", async () => {
    const made = await create();
    const now = new Date(clock.now()).toISOString();
    expect(made).toEqual({
      id: expect.any(String),
      name: "Spring",
      status: "draft",
      dialer_mode: "ai",
      assigned_ai_agent_id: null,
      launched_at: null,
      paused_at: null,
      created_at: now,
      updated_at: now,
      concurrency: null,
      calls_per_second: null,
      lines_per_seat: 1.5,
      max_attempts: 4,
      window: null,
      days: null,
      retry_minutes: { busy: 30, no_answer: 120, voicemail: 1440, network_failure: 5 },
      require_consent: false,
      halted_because: null,
    });
    expect((await app.call(`/v1/campaigns/${made.id}`, { key })).body).toEqual(made);
    const path = `/private/v1/organizations/${organizationId}/campaigns/${made.id}`;
    expect((await app.callPrivate(path)).body).toEqual(made);
  });

  it.each([
    ["active", true, false],
    ["paused", true, true],
    ["completed", true, false],
    ["cancelled", false, false],
  ])("makes a campaign that is %s", async (status, launched, paused) => {
    const made = await create(status);
    const now = new Date(clock.now()).toISOString();
    expect(made).toMatchObject({
      status,
      launched_at: launched ? now : null,
      paused_at: paused ? now : null,
    });
  });

  it.each([
    [{ name: "" }, "invalid_request"],
    [{ name: "  " }, "invalid_request"],
    [{ name: "x".repeat(121) }, "invalid_request"],
    [{ name: "x", status: "running" }, "invalid_request"],
    [{ name: "x", dialer_mode: "manual" }, "invalid_request"],
    [{}, "invalid_request"],
    [{ name: "x", organization_id: "y" }, "unknown_field:organization_id"],
  ])("refuses to make %j", async (json, error) => {
    const path = `/private/v1/organizations/${organizationId}/campaigns`;
    expect(await app.callPrivate(path, { json })).toMatchObject({ status: 400, body: { error } });
  });

  it("lists the newest first, page by page and by status", async () => {
    const other = await app.newOrganization();
    const made: Body[] = [];
    for (const status of ["draft", "active", "draft"]) {
      clock.advance(1);
      made.unshift(summaryOf(await create(status, other.organizationId)));
    }
    const list = (query: string) => app.call(`/v1/campaigns${query}`, { key: other.key });
    expect((await list("")).body).toEqual({ data: made, limit: 50, offset: 0 });
    expect((await list("?limit=1&offset=1")).body).toEqual({ data: [made[1]], limit: 1, offset: 1 });
    expect((await list("?limit=999&status=draft")).body).toEqual({
      data: [made[0], made[2]],
      limit: 200,
      offset: 0,
    });
    expect((await list("?status=completed")).body.data).toEqual([]);
    expect(await list("?status=nonsense")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    const privately = await app.callPrivate(
      `/private/v1/organizations/${other.organizationId}/campaigns?status=active`,
    );
    expect(privately.body).toEqual({ data: [made[1]], limit: 50, offset: 0 });
  });

  it.each([
    ["start", "paused", 200, { status: "active", changed: true }, "active"],
    ["start", "active", 200, { status: "active", changed: false }, "active"],
    ["start", "draft", 409, { error: "campaign_not_resumable" }, "draft"],
    ["start", "completed", 409, { error: "campaign_not_resumable" }, "completed"],
    ["start", "cancelled", 409, { error: "campaign_not_resumable" }, "cancelled"],
    ["stop", "active", 200, { status: "paused", changed: true }, "paused"],
    ["stop", "paused", 200, { status: "paused", changed: false }, "paused"],
    ["stop", "draft", 409, { error: "campaign_not_active" }, "draft"],
    ["stop", "completed", 409, { error: "campaign_not_active" }, "completed"],
    ["stop", "cancelled", 409, { error: "campaign_not_active" }, "cancelled"],
  ])("%s of a campaign that is %s: %i %j", async (verb, status, expected, body, after) => {
    const { id } = await create(status);
    const answer = await steer(verb, id);
    expect(answer).toMatchObject({ status: expected, body });
    if (expected === 200) expect(answer.body).toEqual({ id, ...body });
    expect(await statusOf(id)).toBe(after);
  });

  it("looks at the balance last, and only when the campaign would become active", async () => {
    const [paused, active, draft] = [await create("paused"), await create("active"), await create("draft")];
    for (const [balance, held] of [
      [0, 0],
      [-5, 0],
      [10, 10],
    ] as const) {
      await setBalance(balance, held);
      expect(await steer("start", paused.id)).toMatchObject({
        status: 402,
        body: { error: "insufficient_balance" },
      });
      expect(await statusOf(paused.id)).toBe("paused");
      expect(await steerPrivately("resume", paused.id)).toMatchObject({ status: 402 });
      expect(await steer("start", active.id)).toMatchObject({ status: 200, body: { changed: false } });
      expect(await steer("start", draft.id)).toMatchObject({ status: 409 });
    }
    expect(await steer("stop", active.id)).toMatchObject({ status: 200, body: { changed: true } });
    await setBalance(11, 10);
    expect(await steer("start", paused.id)).toMatchObject({ status: 200, body: { changed: true } });
    await setBalance(1);
  });

  it("starts a sandbox's campaign without a balance: nothing is charged there", async () => {
    const sandbox = await app.newOrganization({ sandbox: true });
    const { id } = await create("paused", sandbox.organizationId);
    expect(await steer("start", id, sandbox.key)).toMatchObject({ status: 200, body: { changed: true } });
  });

  it("changes a campaign once when started 20 times at once, and stops it once", async () => {
    const { id } = await create("paused");
    for (const [verb, action] of [
      ["start", "campaign.resumed"],
      ["stop", "campaign.paused"],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => steer(verb, id)));
      expect(answers.every((answer) => answer.status === 200)).toBe(true);
      expect(answers.filter((answer) => answer.body.changed)).toHaveLength(1);
      const audited = await app.database.query({
        text: "SELECT FROM audit_log WHERE subject_id = $1 AND action = $2",
        values: [id, action],
      });
      expect(audited).toHaveLength(1);
    }
  });

  it("refuses what the path or the caller doesn't allow", async () => {
    const { id } = await create("paused");
    const other = await app.newOrganization();
    expect(await steer("start", id, other.key)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await app.call(`/v1/campaigns/${id}`, { key: other.key })).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
    expect(await steer("stop", "nope")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(
      await app.call(`/v1/campaigns/${id}/start`, { key, json: { organization_id: organizationId } }),
    ).toMatchObject({ status: 400, body: { error: "unknown_field:organization_id" } });
    const reader = await app.newOrganization({ scopes: ["campaigns:read"] });
    expect(await steer("start", id, reader.key)).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope", required: "campaigns:write" },
    });
    expect(await statusOf(id)).toBe("paused");
  });

  it("lets an operator steer it through its life, and records who did", async () => {
    await setBalance(1_000);
    const { id } = await createReady();
    const at = () => new Date(clock.now()).toISOString();
    clock.advance(1000);
    const launchedAt = at();
    expect(await steerPrivately("launch", id)).toMatchObject({
      status: 200,
      body: { id, status: "active", changed: true, launched_at: launchedAt, updated_at: launchedAt },
    });
    expect((await steerPrivately("launch", id)).body).toMatchObject({ changed: false });
    clock.advance(1000);
    expect((await steerPrivately("pause", id)).body).toMatchObject({ status: "paused", paused_at: at() });
    expect(await steerPrivately("launch", id)).toMatchObject({ status: 409, body: { error: "conflict" } });
    clock.advance(1000);
    expect((await steerPrivately("resume", id)).body).toMatchObject({
      status: "active",
      paused_at: null,
      launched_at: launchedAt,
    });
    expect((await steerPrivately("complete", id)).body).toMatchObject({ status: "completed", changed: true });
    expect(await steerPrivately("cancel", id)).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(await steerPrivately("resume", id)).toMatchObject({
      status: 409,
      body: { error: "campaign_not_resumable" },
    });
    expect(await steerPrivately("pause", id)).toMatchObject({
      status: 409,
      body: { error: "campaign_not_active" },
    });
    const audited = await app.database.query<{ action: string; actor: string }>({
      text: "SELECT action, actor FROM audit_log WHERE subject_id = $1 ORDER BY id",
      values: [id],
    });
    expect(audited.map(({ action }) => action)).toEqual([
      "campaign.created",
      "campaign.launched",
      "campaign.paused",
      "campaign.resumed",
      "campaign.completed",
    ]);
    expect(audited.slice(1).every(({ actor }) => actor === "ada")).toBe(true);
  });

  it("names an unknown organization", async () => {
    const unknown = "/private/v1/organizations/0190f0f0-0000-7000-8000-000000000000/campaigns";
    const id = "0190f0f0-0000-7000-8000-000000000001";
    for (const answer of [
      await app.callPrivate(unknown),
      await app.callPrivate(unknown, { json: { name: "x" } }),
      await app.callPrivate(`${unknown}/${id}`),
      await app.callPrivate(`${unknown}/${id}/launch`, { method: "POST" }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
    }
  });
});
