import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

type Body = Record<string, unknown>;

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const clock = manualClock();
let app: TestService;
let organizationId: string;
let key: string;
let path: string;
let agentId: string;

beforeAll(async () => {
  app = await startTestService({ clock });
  ({ organizationId, key } = await app.newOrganization());
  path = `/private/v1/organizations/${organizationId}`;
  agentId = await newAgent();
});
afterAll(() => app.close());

const newAgent = async (): Promise<string> => {
  const made = await app.callPrivate(`${path}/agents`, { json: { name: "A", system_prompt: "Be kind." } });
  return String(made.body.id);
};
const create = async (options: Body = {}) => {
  const made = await app.callPrivate(`${path}/campaigns`, { json: { name: "Spring", ...options } });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
};
const patch = (id: unknown, json: Body) =>
  app.callPrivate(`${path}/campaigns/${id}`, {
    method: "PATCH",
    json,
    headers: { "x-outreach-actor": "ada" },
  });
const audited = (id: unknown, action: string) =>
  app.database.query<{ actor: string; details: Body }>({
    text: "SELECT actor, details FROM audit_log WHERE subject_id = $1 AND action = $2 ORDER BY id",
    values: [id, action],
  });

const every: Body = {
  concurrency: 3,
  calls_per_second: 0.5,
  lines_per_seat: 2,
  max_attempts: 2,
  window: "09:00-17:30",
  days: ["mon", "sat"],
  retry_minutes: { busy: 1, no_answer: 2, voicemail: 3, network_failure: 4 },
  require_consent: true,
};

describe("a campaign's options", () => {
  it("are kept, shown on both APIs and taken back by null", async () => {
    const made = await create({ ...every, days: ["sat", "mon"] });
    expect(made).toMatchObject(every);
    expect((await app.call(`/v1/campaigns/${made.id}`, { key })).body).toEqual(made);
    expect((await app.callPrivate(`${path}/campaigns/${made.id}`)).body).toEqual(made);
    const none = { concurrency: null, calls_per_second: null, window: null, days: null };
    expect(await patch(made.id, none)).toMatchObject({ status: 200, body: { ...every, ...none } });
  });

  it("leaves the retries alone that aren't named", async () => {
    const { id } = await create({ retry_minutes: { busy: 7 } });
    expect((await patch(id, { retry_minutes: { voicemail: 60 } })).body.retry_minutes).toEqual({
      busy: 7,
      no_answer: 120,
      voicemail: 60,
      network_failure: 5,
    });
  });

  it.each([
    [{ concurrency: 0 }, "concurrency"],
    [{ concurrency: 10_001 }, "concurrency"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ calls_per_second: 0 }, "calls_per_second"],
    [{ calls_per_second: -1 }, "calls_per_second"],
    [{ calls_per_second: 1_001 }, "calls_per_second"],
    [{ lines_per_seat: 0.5 }, "lines_per_seat"],
    [{ lines_per_seat: 11 }, "lines_per_seat"],
    [{ lines_per_seat: null }, "lines_per_seat"],
    [{ max_attempts: 0 }, "max_attempts"],
    [{ max_attempts: 51 }, "max_attempts"],
    [{ window: "9:00-17:00" }, "window"],
    [{ window: "09:00" }, "window"],
    [{ window: "09:00-25:00" }, "window"],
    [{ window: "09:60-17:00" }, "window"],
    [{ window: "24:00-24:00" }, "window"],
    [{ window: "17:00-09:00" }, "window must begin before it ends, not 17:00 to 09:00"],
    [{ window: "09:00-09:00" }, "window must begin before it ends"],
    [{ window: ["09:00", "17:00"] }, "window"],
    [{ days: [] }, "days"],
    [{ days: ["mon", "mon"] }, "days"],
    [{ days: ["monday"] }, "days.0 must be one of mon, tue"],
    [{ days: "mon" }, "days"],
    [{ retry_minutes: { busy: 0 } }, "retry_minutes.busy"],
    [{ retry_minutes: { busy: 43_201 } }, "retry_minutes.busy"],
    [{ retry_minutes: { busy: 1.5 } }, "retry_minutes.busy"],
    [{ retry_minutes: { busy: null } }, "retry_minutes.busy"],
    [{ retry_minutes: 30 }, "retry_minutes"],
    [{ require_consent: "yes" }, "require_consent"],
  ])("are refused: %j", async (options, message) => {
    const refusal = {
      status: 400,
      body: { error: "invalid_request", message: expect.stringContaining(message) },
    };
    const json = { name: "x", ...options };
    expect(await app.callPrivate(`${path}/campaigns`, { json })).toMatchObject(refusal);
    const { id } = await create();
    expect(await patch(id, options as Body)).toMatchObject(refusal);
  });

  it("names a retry that there is none of", async () => {
    const json = { name: "x", retry_minutes: { answered: 5 } };
    expect(await app.callPrivate(`${path}/campaigns`, { json })).toMatchObject({
      status: 400,
      body: { error: "unknown_field:answered" },
    });
  });
});

describe("changing a campaign", () => {
  it("changes all of a draft, and records what was and is", async () => {
    const { id } = await create();
    clock.advance(1_000);
    const all = { name: "Summer", dialer_mode: "power", assigned_ai_agent_id: agentId, ...every };
    const changed = await patch(id, all);
    expect(changed).toMatchObject({
      status: 200,
      body: { ...all, updated_at: new Date(clock.now()).toISOString() },
    });
    expect(await patch(id, all)).toMatchObject({ status: 200, body: changed.body });
    const entries = await audited(id, "campaign.updated");
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      actor: "ada",
      details: {
        changes: {
          name: { from: "Spring", to: "Summer" },
          window: { from: null, to: "09:00-17:30" },
          assigned_ai_agent_id: { from: null, to: agentId },
        },
      },
    });
    expect(Object.keys((entries[0]!.details as { changes: Body }).changes).sort()).toEqual(
      Object.keys(all).sort(),
    );
  });

  it("changes the options of a paused one, and neither its agent nor its mode", async () => {
    const { id } = await create({ status: "paused" });
    expect(await patch(id, { name: "Later", ...every })).toMatchObject({ status: 200, body: every });
    for (const fixed of [{ dialer_mode: "power" }, { assigned_ai_agent_id: agentId }]) {
      expect(await patch(id, fixed)).toMatchObject({
        status: 409,
        body: { error: "conflict", message: expect.stringContaining(Object.keys(fixed)[0]!) },
      });
    }
  });

  it.each(["active", "completed", "cancelled"])("changes nothing of one that is %s", async (status) => {
    const { id } = await create({ status });
    expect(await patch(id, { name: "Later" })).toMatchObject({
      status: 409,
      body: { error: "conflict", message: expect.stringContaining(status) },
    });
  });

  it("refuses what isn't there", async () => {
    const { id } = await create();
    expect(await patch(id, {})).toMatchObject({ status: 400, body: { error: "nothing_to_update" } });
    expect(await patch(id, { status: "active" })).toMatchObject({
      status: 400,
      body: { error: "unknown_field:status" },
    });
    expect(await patch(id, { assigned_ai_agent_id: UNKNOWN })).toMatchObject({ status: 404 });
    expect(await patch(UNKNOWN, { name: "x" })).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("has leads looked at again that wait for other hours", async () => {
    const { id } = await create({ status: "paused", window: "09:00-10:00" });
    for (const number of ["2125550161", "2125550162", "2125550163"])
      await app.call("/v1/leads", { key, json: { phone_number: number, campaign_id: id } });
    const later = new Date(clock.now() + 86_400_000).toISOString();
    const put = (number: string, reason: string, due: string | null) =>
      app.database.query({
        text: `UPDATE dial_entries SET next_at = $2, verdict_reason = $3, due = $4 WHERE phone_number = $1`,
        values: [number, later, reason, due],
      });
    await put("+12125550161", "outside_window", null);
    await put("+12125550162", "outside_window", "retry");
    await put("+12125550163", "frequency_cap", null);
    const dueTimes = async () =>
      (
        await app.database.query<{ next_at: string }>({
          text: "SELECT next_at FROM dial_entries WHERE campaign_id = $1 ORDER BY phone_number",
          values: [id],
        })
      ).map(({ next_at }) => next_at);
    await patch(id, { max_attempts: 3 });
    expect(await dueTimes()).toEqual([later, later, later]);
    await patch(id, { window: "09:00-20:00" });
    expect(await dueTimes()).toEqual([new Date(clock.now()).toISOString(), later, later]);
  });
});

describe("launching", () => {
  const launch = (id: unknown, of = path) =>
    app.callPrivate(`${of}/campaigns/${id}/launch`, { method: "POST" });

  it("says of each thing that is missing which it is", async () => {
    const { id } = await create();
    const expectRefusal = async (status: number, error: string, message: string) =>
      expect(await launch(id)).toMatchObject({
        status,
        body: { error, message: expect.stringContaining(message) },
      });
    await expectRefusal(409, "conflict", "no agent");
    const untalkative = await newAgent();
    await app.database.query({
      text: "UPDATE agents SET call_template = NULL WHERE id = $1",
      values: [untalkative],
    });
    await app.database.query({
      text: "UPDATE campaigns SET assigned_ai_agent_id = $2 WHERE id = $1",
      values: [id, untalkative],
    });
    await expectRefusal(409, "conflict", "no call template");
    await patch(id, { assigned_ai_agent_id: agentId });
    await expectRefusal(409, "no_did_available", "number");
    await app.callPrivate(`${path}/numbers`, { json: { phone_number: "2125550150" } });
    await expectRefusal(409, "conflict", "no leads");
    await app.call("/v1/leads", { key, json: { phone_number: "8005550171", campaign_id: id } });
    await expectRefusal(402, "insufficient_balance", "costs 90 tokens, but only 0");
    await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 89 } });
    await expectRefusal(402, "insufficient_balance", "only 89");
    await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 1 } });
    await app.database.query({
      text: "UPDATE wallets SET held = 1 WHERE organization_id = $1",
      values: [organizationId],
    });
    await expectRefusal(402, "insufficient_balance", "only 89");
    expect((await app.call(`/v1/campaigns/${id}`, { key })).body).toMatchObject({
      status: "draft",
      launched_at: null,
    });
    await app.database.query({
      text: "UPDATE wallets SET held = 0 WHERE organization_id = $1",
      values: [organizationId],
    });
    expect(await launch(id)).toMatchObject({ status: 200, body: { status: "active", changed: true } });
    expect(await launch(id)).toMatchObject({ status: 200, body: { changed: false } });
    expect(await audited(id, "campaign.launched")).toHaveLength(1);
  });

  it("asks a sandbox, which dials nothing, for neither a number nor money", async () => {
    const sandbox = await app.newOrganization({ sandbox: true });
    const of = `/private/v1/organizations/${sandbox.organizationId}`;
    const agent = await app.callPrivate(`${of}/agents`, { json: { name: "A", system_prompt: "Be kind." } });
    const json = { name: "Dry", assigned_ai_agent_id: agent.body.id };
    const { body: made } = await app.callPrivate(`${of}/campaigns`, { json });
    expect(await launch(made.id, of)).toMatchObject({ status: 409, body: { error: "conflict" } });
    await app.call("/v1/leads", {
      key: sandbox.key,
      json: { phone_number: "2125550171", campaign_id: made.id },
    });
    expect(await launch(made.id, of)).toMatchObject({ status: 200, body: { status: "active" } });
  });

  it("clears why it was halted when it is steered", async () => {
    const { id } = await create({ status: "paused" });
    await app.database.query({
      text: "UPDATE campaigns SET halted_because = 'dry' WHERE id = $1",
      values: [id],
    });
    expect((await app.call(`/v1/campaigns/${id}`, { key })).body.halted_because).toBe("dry");
    await app.callPrivate(`${path}/wallet/credits`, { json: { tokens: 100 } });
    const resumed = await app.callPrivate(`${path}/campaigns/${id}/resume`, { method: "POST" });
    expect(resumed).toMatchObject({ status: 200, body: { status: "active", halted_because: null } });
  });
});

describe("an organization's daily cap", () => {
  const set = (daily_attempt_cap: unknown) =>
    app.callPrivate(path, { method: "PATCH", json: { daily_attempt_cap } });

  it("is set, shown and taken back", async () => {
    for (const cap of [0, 3, null, 1]) {
      expect(await set(cap)).toMatchObject({ status: 200, body: { daily_attempt_cap: cap } });
      expect((await app.callPrivate(path)).body.daily_attempt_cap).toBe(cap);
    }
  });
  it.each([-1, 4, 1.5, "2"])("is never %j", async (cap) => {
    expect(await set(cap)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });
});
