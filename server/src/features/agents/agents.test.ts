import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const ISO = /^2026-01-05T12:\d\d:\d\d\.\d{3}Z$/;

interface Record_ {
  id: string;
  name: string;
  call_template: Record<string, unknown>;
  phone_number: string | null;
  updated_at: string;
  created_at: string;
}

describe("voice agents", () => {
  const clock = manualClock();
  let app: TestService;
  let key: string;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  beforeEach(async () => {
    ({ key, organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  const template = { system_prompt: "Be kind to {{first_name}}." };
  const create = (json: unknown = { name: "Clara", call_template: template }, by = key) => {
    clock.advance(1);
    return app.call<Record_>("/v1/agents", { key: by, json });
  };
  const patch = (id: string, json: unknown) => {
    clock.advance(1);
    return app.call<Record_>(`/v1/agents/${id}`, { key, method: "PATCH", json });
  };
  const read = (id: string, by = key) => app.call<Record_>(`/v1/agents/${id}`, { key: by });
  const remove = (id: string) => app.call(`/v1/agents/${id}`, { key, method: "DELETE" });
  const attach = (id: string, phone_number: unknown) =>
    app.call<Record_>(`/v1/agents/${id}/phone-number`, { key, json: { phone_number } });
  const detach = (id: string) =>
    app.call<Record_>(`/v1/agents/${id}/phone-number`, { key, method: "DELETE" });
  const inApp = (path: string, json?: unknown, method?: string) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}/${path}`, {
      ...(json === undefined ? {} : { json }),
      ...(method === undefined ? {} : { method }),
    });
  const appAgent = async () =>
    String((await inApp("agents", { name: "App", system_prompt: "Be kind." })).body.id);
  const addNumber = (phone_number: string, carrier?: string) =>
    inApp("numbers", { phone_number, ...(carrier ? { carrier } : {}) });
  const audited = async () =>
    ((await inApp("audit")).body.data as { action: string; actor: string }[]).map(({ action }) => action);

  it("are created with every default filled in, read and listed newest first", async () => {
    const created = await create();
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: "Clara",
      call_template: {
        system_prompt: template.system_prompt,
        voice: "clara",
        temperature: 0.7,
        first_speaker: "agent",
        recording_enabled: false,
        greeting: "",
        max_duration_seconds: 1800,
        voicemail_message: "",
        recording_announcement: true,
        tools: ["end_call", "transfer_to_human", "book_appointment", "schedule_callback", "record_opt_out"],
        transfer_number: null,
      },
      managed_by: "api",
      phone_number: null,
      created_at: expect.stringMatching(ISO),
      updated_at: created.body.created_at,
    });
    const second = (await create()).body.id;
    const third = await appAgent();
    expect(await read(created.body.id)).toMatchObject({ status: 200, body: created.body });
    const list = await app.call<{ data: Record_[] }>("/v1/agents", { key });
    expect(list.body).toMatchObject({ limit: 50, offset: 0 });
    expect(list.body.data.map(({ id }) => id)).toEqual([third, second, created.body.id]);
    const page = await app.call<{ data: Record_[] }>("/v1/agents?limit=1&offset=1", { key });
    expect(page.body.data.map(({ id }) => id)).toEqual([second]);
    expect((await inApp("agents?limit=1")).body.data).toMatchObject([{ id: third, managed_by: "app" }]);
    expect((await app.call<{ data: Record_[] }>("/v1/agents?limit=0", { key })).status).toBe(400);
  });

  it("keep what is sent", async () => {
    const whole = {
      system_prompt: "S",
      voice: "otto",
      temperature: 0,
      first_speaker: "user",
      recording_enabled: true,
      greeting: "Hello",
      max_duration_seconds: 60,
      voicemail_message: "Call us back",
      recording_announcement: false,
      tools: ["end_call", "record_opt_out"],
      transfer_number: "+14155550100",
    };
    const { body } = await create({ name: "A", call_template: whole });
    expect(body.call_template).toEqual(whole);
  });

  it.each([
    [{}, "name_required"],
    [{ name: "A" }, "call_template_must_be_object"],
    [{ name: "A", call_template: [] }, "call_template_must_be_object"],
    [{ name: "A", call_template: {} }, "system_prompt_required"],
    [{ name: "A", call_template: { ...template, mood: 1 } }, "unknown_template_field:mood"],
    [
      { name: "A", call_template: { ...template, organization_id: 1 } },
      "unknown_template_field:organization_id",
    ],
    [{ name: "A", call_template: template, system_prompt: "x" }, "unknown_field:system_prompt"],
    [{ name: "A", call_template: { ...template, greeting: "\0" } }, "invalid_request"],
    [{ name: "A", call_template: { ...template, greeting: "\ud800" } }, "invalid_request"],
  ])("refuse %j with %s, and nothing is written", async (json, code) => {
    expect(await create(json)).toMatchObject({
      status: 400,
      body: { error: code, message: expect.any(String) },
    });
    expect((await app.call("/v1/agents", { key })).body.data).toEqual([]);
  });

  it("refuse an empty body as no JSON", async () => {
    expect(await app.call("/v1/agents", { key, method: "POST" })).toMatchObject({
      status: 400,
      body: { error: "invalid_json" },
    });
  });

  it("are changed key by key", async () => {
    const { body: agent } = await create({
      name: "A",
      call_template: { ...template, greeting: "Hi", temperature: 1 },
    });
    const changed = await patch(agent.id, { call_template: { temperature: 0, greeting: "" } });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "A", call_template: { ...agent.call_template, temperature: 0, greeting: "" } },
    });
    expect(changed.body.updated_at > agent.updated_at).toBe(true);
    expect((await patch(agent.id, { name: "B" })).body).toMatchObject({
      name: "B",
      call_template: changed.body.call_template,
    });
    for (const json of [{}, { call_template: {} }]) {
      expect(await patch(agent.id, json)).toMatchObject({
        status: 400,
        body: { error: "nothing_to_update" },
      });
    }
    expect(await app.call(`/v1/agents/${agent.id}`, { key, method: "PATCH" })).toMatchObject({
      status: 400,
      body: { error: "nothing_to_update" },
    });
    expect(await patch(agent.id, { call_template: null })).toMatchObject({
      body: { error: "call_template_must_be_object" },
    });
    expect(await patch(agent.id, { name: "" })).toMatchObject({ body: { error: "name_required" } });
    expect(await patch(agent.id, { call_template: { system_prompt: "" } })).toMatchObject({
      body: { error: "system_prompt_required" },
    });
    expect(await patch(UNKNOWN, { name: "B" })).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await read(agent.id)).body).toMatchObject({ name: "B" });
  });

  it("take every change of those that are made at once", async () => {
    const { id } = (await create()).body;
    await Promise.all([
      patch(id, { call_template: { temperature: 2 } }),
      patch(id, { call_template: { voice: "otto" } }),
      patch(id, { call_template: { greeting: "Hello" } }),
      patch(id, { name: "Otto" }),
    ]);
    expect((await read(id)).body).toMatchObject({
      name: "Otto",
      call_template: { temperature: 2, voice: "otto", greeting: "Hello" },
    });
  });

  it("are read-only when managed in the app, after the fields are looked at", async () => {
    const id = await appAgent();
    await addNumber("+14155550100");
    const refusal = { status: 409, body: { error: "agent_managed_in_app" } };
    expect(await patch(id, { name: "B" })).toMatchObject(refusal);
    expect(await remove(id)).toMatchObject(refusal);
    expect(await attach(id, "+14155550100")).toMatchObject(refusal);
    expect(await detach(id)).toMatchObject(refusal);
    expect(await patch(id, {})).toMatchObject({ status: 400, body: { error: "nothing_to_update" } });
    expect(await patch(id, { call_template: { voice: "x" } })).toMatchObject({
      body: { error: "unknown_voice" },
    });
    expect(await read(id)).toMatchObject({ status: 200, body: { name: "App", managed_by: "app" } });
  });

  it("are deleted when nothing uses them", async () => {
    const { id } = (await create()).body;
    expect(await remove(id)).toMatchObject({ status: 200, body: { id, deleted: true } });
    expect(await read(id)).toMatchObject({ status: 404 });
    expect(await remove(id)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await audited()).slice(0, 2)).toEqual(["agent.deleted", "agent.created"]);
  });

  it.each(["draft", "active", "paused", "completed", "cancelled"])(
    "with a campaign that is %s are in use only while it isn't over",
    async (status) => {
      const { id } = (await create()).body;
      const campaign = await inApp("campaigns", { name: "C", status, assigned_ai_agent_id: id });
      expect(campaign).toMatchObject({ status: 201, body: { assigned_ai_agent_id: id } });
      const over = status === "completed" || status === "cancelled";
      expect(await remove(id)).toMatchObject(
        over ? { status: 200 } : { status: 409, body: { error: "agent_in_use" } },
      );
    },
  );

  it("are in use while they are on a call", async () => {
    const { id } = (await create()).body;
    const now = new Date(clock.now()).toISOString();
    await app.database.query({
      text: `INSERT INTO calls (organization_id, id, origin, medium, agent_id, status, call_template, template_context, metadata,
               rate_per_minute, transcript_status, owner_id, lease_until, created_at)
             VALUES ($1, $2, 'api', 'browser', $3, 'in-progress', '{}', '{}', '{}', 60, 'pending', $2, $4, $4)`,
      values: [organizationId, UNKNOWN, id, now],
    });
    expect(await remove(id)).toMatchObject({ status: 409, body: { error: "agent_in_use" } });
    await app.database.query({
      text: "UPDATE calls SET ended_at = $2, status = 'completed' WHERE organization_id = $1",
      values: [organizationId, now],
    });
    expect(await remove(id)).toMatchObject({ status: 200 });
  });

  it("can't be given to a campaign by another organization, nor when they don't exist", async () => {
    const other = await app.newOrganization();
    const theirs = (await create(undefined, other.key)).body.id;
    for (const assigned_ai_agent_id of [theirs, UNKNOWN]) {
      expect(await inApp("campaigns", { name: "C", assigned_ai_agent_id })).toMatchObject({
        status: 404,
        body: { error: "not_found", message: expect.stringContaining("agent") },
      });
    }
    expect(await inApp("campaigns", { name: "C", assigned_ai_agent_id: "x" })).toMatchObject({ status: 400 });
  });

  it("are never deleted under a campaign that is made at the same moment", async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = (await create()).body;
      const [removed, campaign] = await Promise.all([
        remove(id),
        inApp("campaigns", { name: "C", assigned_ai_agent_id: id }),
      ]);
      expect([removed.status, campaign.status]).toEqual(removed.status === 200 ? [200, 404] : [409, 201]);
    }
  });

  describe("with a number", () => {
    it("answer calls to it, and say so", async () => {
      const { id } = (await create()).body;
      await addNumber("4155550100");
      const attached = await attach(id, "(415) 555-0100");
      expect(attached).toMatchObject({
        status: 200,
        body: { id, phone_number: "+14155550100", inbound_webhook_configured: true },
      });
      expect(await attach(id, "+14155550100")).toMatchObject({ status: 200, body: attached.body });
      expect((await read(id)).body).not.toHaveProperty("inbound_webhook_configured");
      expect((await read(id)).body.phone_number).toBe("+14155550100");
      expect((await inApp("numbers")).body.data).toMatchObject([{ agent_id: id }]);

      expect(await remove(id)).toMatchObject({ status: 409, body: { error: "agent_in_use" } });
      expect(await inApp("numbers/14155550100", undefined, "DELETE")).toMatchObject({
        status: 409,
        body: { error: "conflict" },
      });
      const detached = await detach(id);
      expect(detached).toMatchObject({ status: 200, body: { id, phone_number: null } });
      expect(detached.body).not.toHaveProperty("inbound_webhook_configured");
      expect(await detach(id)).toMatchObject({ status: 200, body: { phone_number: null } });
      expect(await inApp("numbers/14155550100", undefined, "DELETE")).toMatchObject({ status: 200 });
      expect(await remove(id)).toMatchObject({ status: 200 });
      expect((await audited()).slice(0, 6)).toEqual([
        "agent.deleted",
        "phone_number.removed",
        "agent.number_detached",
        "agent.number_attached",
        "phone_number.added",
        "agent.created",
      ]);
    });

    it("have one: another takes its place", async () => {
      const { id } = (await create()).body;
      await addNumber("4155550100");
      await addNumber("4155550101", "twilio");
      await attach(id, "4155550100");
      expect(await attach(id, "4155550101")).toMatchObject({
        status: 200,
        body: { phone_number: "+14155550101", inbound_webhook_configured: false },
      });
      expect(await inApp("numbers/14155550100", undefined, "DELETE")).toMatchObject({ status: 200 });
    });

    it.each([
      [undefined, "phone_number_required"],
      [null, "phone_number_required"],
      [4155550100, "phone_number_required"],
      ["12", "invalid_phone_number"],
      ["4155550100x12", "invalid_phone_number"],
      ["+14155550199", "phone_number_not_owned"],
    ])("can't have %j: %s", async (phone_number, code) => {
      const { id } = (await create()).body;
      expect(await attach(id, phone_number)).toMatchObject({ status: 400, body: { error: code } });
    });

    it("can't have another organization's, nor another agent's", async () => {
      const [first, second] = [(await create()).body.id, (await create()).body.id];
      const other = await app.newOrganization();
      await app.callPrivate(`/private/v1/organizations/${other.organizationId}/numbers`, {
        json: { phone_number: "4155550100" },
      });
      expect(await attach(first, "4155550100")).toMatchObject({ body: { error: "phone_number_not_owned" } });
      await addNumber("4155550100");
      expect(await attach(first, "4155550100")).toMatchObject({ status: 200 });
      expect(await attach(second, "4155550100")).toMatchObject({
        status: 409,
        body: { error: "phone_number_in_use" },
      });
      expect(await attach(UNKNOWN, "4155550100")).toMatchObject({ status: 404 });
    });

    it("of many that want it at once, one gets it", async () => {
      await addNumber("4155550100");
      const ids = await Promise.all(Array.from({ length: 6 }, async () => (await create()).body.id));
      const statuses = (await Promise.all(ids.map((id) => attach(id, "4155550100")))).map(
        ({ status }) => status,
      );
      expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409]);
    });
  });
});
