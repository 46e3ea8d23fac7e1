import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { type ManualClock, manualClock } from "../../testing/manual-clock.ts";
import { type Carrier, CarrierRefusal } from "../../voice/carriers/carrier.ts";
import { EngineUnavailable } from "../../voice/engines/engine.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const FROM = "+12125550199";
const PHONE = { medium: "phone", to_number: "(415) 555-0100", system_prompt: "Be kind." };
const BROWSER = { medium: "browser", system_prompt: "Be kind." };

const simulated: Carrier = {
  name: "simulated",
  dial() {
    throw new Error("the fake plane dials nobody");
  },
  async close() {},
};

describe("calls", () => {
  let clock: ManualClock;
  let plane: FakeVoicePlane;
  let app: TestService;
  let organizationId: string;
  let key: string;
  beforeAll(async () => {
    clock = manualClock();
    plane = fakeVoicePlane(clock);
    app = await startTestService({
      clock,
      environment: { ICE_SERVERS: "stun:stun.example.com:3478" },
      service: { voice: { plane, carriers: [simulated], drainMs: 0 } },
    });
  });
  beforeEach(async () => {
    ({ organizationId, key } = await app.newOrganization());
    await credit(10_000);
    await addNumber(FROM);
  });
  afterAll(() => app.close());

  const admin = (path: string, json?: unknown, method?: string) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, {
      ...(json === undefined ? {} : { json }),
      ...(method === undefined ? {} : { method }),
    });
  const credit = (tokens: number) => admin("/wallet/credits", { tokens });
  const addNumber = (phone_number: string) => admin("/numbers", { phone_number });
  const start = (json: unknown, headers: Record<string, string> = {}, path = "/v1/calls") =>
    app.call(path, { key, json, headers });
  const read = async (id: unknown) => (await app.call(`/v1/calls/${id}`, { key })).body;
  const events = async (...types: string[]) =>
    (
      await app.database.query<{ type: string; data: Record<string, unknown> }>({
        text: "SELECT type, data FROM events WHERE organization_id = $1 AND type = ANY ($2) ORDER BY occurred_at, id",
        values: [organizationId, types],
      })
    ).map(({ type, data }) => ({ type, data }));
  const CALL_EVENTS = ["call.started", "call.completed", "call.transcript_ready", "call.transferred"];
  const wallet = async () => (await admin("/wallet")).body as { balance: number; held: number };
  const agent = async (call_template: Record<string, unknown> = { system_prompt: "Hello {{first_name}}." }) =>
    String((await app.call("/v1/agents", { key, json: { name: "Ada", call_template } })).body.id);
  const lead = async (json: Record<string, unknown> = {}) =>
    String((await app.call("/v1/leads", { key, json: { phone_number: "4155550100", ...json } })).body.id);

  describe("a phone call", () => {
    it("is answered as initiating, with everything that is known of it", async () => {
      const { status, body } = await start({ ...PHONE, metadata: { order: 7, vip: true, note: null } });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        call_sid: `fake-${body.id}`,
        lead_id: null,
        campaign_id: null,
        agent_id: null,
        medium: "phone",
        direction: "phone",
        to_number: "+14155550100",
        from_number: FROM,
        status: "initiating",
        call_outcome: null,
        disposition: null,
        duration: null,
        duration_seconds: null,
        created_at: new Date(clock.now()).toISOString(),
        ended_at: null,
        recording_url: null,
        metadata: { order: 7, vip: true, note: null },
      });
      expect(plane.last()).toMatchObject({ callId: body.id, dial: { from: FROM, to: "+14155550100" } });
      expect(await events(...CALL_EVENTS)).toEqual([
        {
          type: "call.started",
          data: {
            call_id: body.id,
            direction: "phone",
            agent_id: null,
            lead_id: null,
            from_number: FROM,
            to_number: "+14155550100",
          },
        },
      ]);
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 90 });
    });

    it("stores what happens to it: states with their times, turns, money, summary, one event", async () => {
      const id = (await start(PHONE)).body.id;
      const call = plane.last();
      const times = [clock.now()];
      const later = (ms: number) => {
        clock.advance(ms);
        times.push(clock.now());
      };
      later(1_000);
      await call.ring();
      later(2_000);
      await call.answer();
      await call.ports.classified("human");
      await call.say("agent", "Good morning.");
      await call.say("user", "Good morning, who is it?");
      expect(await read(id)).toMatchObject({ status: "in-progress", answered_by: "human", ended_at: null });
      later(61_500);
      expect(await call.ports.extendHold()).toBe(true);
      expect(await wallet()).toMatchObject({ held: 180 });
      await call.end();
      const iso = times.map((time) => new Date(time).toISOString());
      expect(await read(id)).toMatchObject({
        status: "completed",
        call_outcome: "completed",
        duration: 62,
        duration_seconds: 62,
        cost_tokens: 93,
        rate_per_minute: 90,
        carrier: "simulated",
        origin: "api",
        end_reason: "The far side hung up.",
        call_template: { system_prompt: "Be kind.", voice: "clara", temperature: 0.7 },
        initiated_at: iso[1],
        answered_at: iso[2],
        ended_at: iso[3],
        transcript_status: "ready",
        summary:
          "Phone call, 1 minute 2 seconds; the agent spoke once, the other side once. It ended normally.",
        transitions: [
          { status: "initiating", at: iso[0] },
          { status: "initiated", at: iso[1] },
          { status: "in-progress", at: iso[2] },
          { status: "completed", at: iso[3] },
        ],
      });
      expect(await wallet()).toMatchObject({ balance: 10_000 - 93, held: 0 });
      expect((await events(...CALL_EVENTS)).slice(1)).toEqual([
        {
          type: "call.transcript_ready",
          data: {
            call_id: id,
            call_sid: `fake-${id}`,
            campaign_id: null,
            lead_id: null,
            duration_seconds: 62,
            summary: expect.stringContaining("1 minute 2 seconds"),
            has_transcript: true,
          },
        },
      ]);
      expect((await app.call(`/v1/calls/${id}/transcript`, { key })).body).toEqual({
        call_id: id,
        status: "ready",
        turns: [
          { role: "agent", source: "script", text: "Good morning.", start_ms: 0, end_ms: 900 },
          { role: "user", source: "simulated", text: "Good morning, who is it?", start_ms: 0, end_ms: 900 },
        ],
        text: "Agent: Good morning.\nUser: Good morning, who is it?",
        summary: expect.any(String),
      });
    });

    it("that nobody answers costs nothing and has no transcript", async () => {
      const id = (await start(PHONE)).body.id;
      await plane.last().ring();
      clock.advance(30_000);
      await plane.last().end({ status: "no-answer", outcome: "no_answer", reason: "Nobody answered." });
      expect(await read(id)).toMatchObject({
        status: "no-answer",
        call_outcome: "no_answer",
        duration: null,
        cost_tokens: 0,
        transcript_status: "unavailable",
      });
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 0 });
      expect(await events("call.transcript_ready", "call.completed")).toEqual([]);
      expect((await app.call(`/v1/calls/${id}/transcript`, { key })).body).toMatchObject({
        status: "unavailable",
        turns: [],
        text: null,
      });
    });

    it("goes to the lead's number, and knows the lead's names", async () => {
      const leadId = await lead({ first_name: "Grace", last_name: "Hopper" });
      const { body } = await start({
        medium: "phone",
        lead_id: leadId,
        system_prompt: "You call {{ first_name }} {{last_name}} about {{topic}}{{missing}}.",
        greeting: "Hi {{first_name}}!",
        template_context: { topic: "{{first_name}}s", first_name: "Amazing Grace" },
      });
      expect(body).toMatchObject({ lead_id: leadId, to_number: "+14155550100" });
      expect(plane.last().setup).toMatchObject({
        instructions: "You call Amazing Grace Hopper about {{first_name}}s.",
        greeting: "Hi Amazing Grace!",
      });
      await plane.last().answer();
      await plane.last().end();
      expect((await read(body.id)).summary).toMatch(/^Phone call with Grace Hopper, /);
    });

    it("calls from a number of the same area code, else from the one unused for longest", async () => {
      await addNumber("+14155550177");
      expect((await start(PHONE)).body.from_number).toBe("+14155550177");
      expect((await start({ ...PHONE, to_number: "3035550100" })).body.from_number).toBe(FROM);
      expect((await start({ ...PHONE, from_number: "212 555 0199" })).body.from_number).toBe(FROM);
    });

    it("tells the session its template, and grants a transfer where somebody can be reached", async () => {
      await start({
        ...PHONE,
        recording_enabled: true,
        tools: ["transfer_to_human"],
        voicemail_message: "Call {{who}} back.",
        template_context: { who: "us" },
        max_duration_seconds: 60,
      });
      expect(plane.last().setup).toMatchObject({
        recording: true,
        recordingAnnouncement: "This call is recorded.",
        voicemailMessage: "Call us back.",
        maxDurationSeconds: 60,
      });
      expect(plane.last().setup.tools.map(({ name }) => name)).toEqual([
        "end_call",
        "transfer_to_human",
        "record_opt_out",
      ]);
      await start({ ...BROWSER });
      expect(plane.last().setup.tools.map(({ name }) => name)).not.toContain("transfer_to_human");
    });
  });

  describe("what a call is refused for", () => {
    const refused = async (json: unknown, status: number, error: string) => {
      const before = plane.calls.length;
      const answer = await start(json);
      expect(answer).toMatchObject({ status, body: { error, message: expect.any(String) } });
      expect(plane.calls.length).toBe(before);
      return answer;
    };

    it.each([
      [{ system_prompt: "x" }, "medium_required"],
      [{ medium: "fax", system_prompt: "x" }, "invalid_medium"],
      [{ medium: null, system_prompt: "x" }, "invalid_medium"],
      [{ medium: "phone", system_prompt: "x" }, "invalid_to_number"],
      [{ medium: "phone", to_number: "4155550100" }, "system_prompt_required"],
      [{ ...PHONE, to_number: "123" }, "invalid_to_number"],
      [{ ...PHONE, to_number: 4155550100 }, "invalid_to_number"],
      [{ ...PHONE, to_number: "415-555-0100 x12" }, "invalid_to_number"],
      [{ ...PHONE, from_number: "abc" }, "invalid_from_number"],
      [{ ...PHONE, from_number: 5 }, "invalid_from_number"],
      [{ ...BROWSER, to_number: "4155550100" }, "invalid_to_number"],
      [{ ...BROWSER, medium: "web", from_number: "4155550100" }, "invalid_from_number"],
      [{ ...PHONE, lead_id: "x" }, "invalid_request"],
      [{ ...PHONE, system_prompt: "" }, "system_prompt_required"],
      [{ ...PHONE, system_prompt: 5 }, "system_prompt_must_be_string"],
      [{ ...PHONE, system_prompt: "é".repeat(32_001) }, "system_prompt_too_long"],
      [{ ...PHONE, voice: "nobody" }, "unknown_voice"],
      [{ ...PHONE, temperature: 2.01 }, "temperature_out_of_range"],
      [{ ...PHONE, first_speaker: "both" }, "invalid_first_speaker"],
      [{ ...PHONE, recording_enabled: "yes" }, "recording_enabled_must_be_boolean"],
      [{ ...PHONE, greeting: 1 }, "greeting_must_be_string"],
      [{ ...PHONE, greeting: "x".repeat(1_001) }, "greeting_too_long"],
      [{ ...PHONE, max_duration_seconds: 59 }, "max_duration_out_of_range"],
      [{ ...PHONE, max_duration_seconds: 7_201 }, "max_duration_out_of_range"],
      [{ ...PHONE, template_context: [] }, "template_context_must_be_object"],
      [{ ...PHONE, template_context: { a: {} } }, "template_context_values_must_be_scalar"],
      [{ ...PHONE, template_context: { a: "x".repeat(1_001) } }, "template_context_value_too_long"],
      [{ ...PHONE, metadata: "x" }, "metadata_must_be_object"],
      [{ ...PHONE, metadata: { a: [] } }, "metadata_values_must_be_scalar"],
      [{ ...PHONE, metadata: { a: "x".repeat(501) } }, "metadata_value_too_long"],
      [
        { ...PHONE, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])) },
        "metadata_too_many_keys",
      ],
      [{ ...PHONE, organization_id: UNKNOWN }, "unknown_field:organization_id"],
      [{ ...PHONE, campaign_id: UNKNOWN }, "unknown_field:campaign_id"],
      [{ ...PHONE, from_number: "+14155550123" }, "from_number_not_owned"],
    ])("%j: %s", async (json, error) => {
      await refused(json, 400, error);
    });

    it("takes a template at its bounds", async () => {
      const { status } = await start({
        ...PHONE,
        system_prompt: "é".repeat(32_000),
        greeting: "é".repeat(1_000),
        temperature: 2,
        max_duration_seconds: 7_200,
        metadata: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, "x".repeat(500)])),
        template_context: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, "x".repeat(1_000)])),
      });
      expect(status).toBe(201);
    });

    it("looks in the contract's order: organization, voice, lead, caller id, list, balance, cap", async () => {
      const everything = { ...PHONE, lead_id: UNKNOWN, from_number: "+14155550123" };
      await admin("/dnc", { phone_number: "4155550100" });
      await admin("", { status: "suspended", voice_enabled: false, concurrency_limit: 0 }, "PATCH");
      await credit(-10_000);
      // What is wrong with the fields comes before all of it.
      await refused({ ...everything, to_number: "1" }, 400, "invalid_to_number");
      await refused({ medium: "phone", system_prompt: "x" }, 400, "invalid_to_number");
      await refused(everything, 403, "organization_not_active");
      await admin("", { status: "active" }, "PATCH");
      await refused(everything, 403, "voice_suspended");
      await admin("", { voice_enabled: true }, "PATCH");
      await refused(everything, 404, "lead_not_found");
      await refused({ ...everything, lead_id: null }, 400, "from_number_not_owned");
      await refused(PHONE, 403, "destination_on_dnc");
      await refused({ ...PHONE, to_number: "4155550111" }, 402, "insufficient_balance");
      await credit(90);
      const capped = await refused({ ...PHONE, to_number: "4155550111" }, 429, "concurrency_limit_reached");
      expect(capped.headers.get("retry-after")).toBeNull();
      await admin("", { concurrency_limit: 1 }, "PATCH");
      expect((await start({ ...PHONE, to_number: "4155550111" })).status).toBe(201);
      expect(await wallet()).toMatchObject({ balance: 90, held: 90 });
      await refused({ ...PHONE, to_number: "4155550111" }, 402, "insufficient_balance");
    });

    it("has no number to call from", async () => {
      await admin(`/numbers/${encodeURIComponent(FROM)}`, undefined, "DELETE");
      await refused(PHONE, 409, "no_did_available");
      // A browser call needs none.
      expect((await start(BROWSER)).status).toBe(201);
    });

    it("is a sandbox", async () => {
      ({ organizationId, key } = await app.newOrganization({ sandbox: true }));
      await refused(PHONE, 403, "voice_suspended");
      await refused(BROWSER, 403, "voice_suspended");
      const id = await agent();
      expect(await start({ medium: "browser" }, {}, `/v1/agents/${id}/calls`)).toMatchObject({
        status: 403,
        body: { error: "voice_suspended" },
      });
    });

    it("is another organization's lead", async () => {
      const theirs = await lead();
      ({ organizationId, key } = await app.newOrganization());
      await refused({ ...PHONE, lead_id: theirs }, 404, "lead_not_found");
    });

    it.each([
      [new CarrierRefusal("carrier_dial_failed", "No."), 502, "carrier_dial_failed", "failed"],
      [
        new CarrierRefusal("voice_carrier_blocked", "No.", "blocked"),
        502,
        "voice_carrier_blocked",
        "blocked",
      ],
      [new CarrierRefusal("no_voice_carrier_available", "No."), 503, "no_voice_carrier_available", "failed"],
      [new CarrierRefusal("concurrency_limit", "No.", "congestion"), 429, "concurrency_limit", "congestion"],
      [new EngineUnavailable("No."), 503, "voice_provider_unavailable", "failed"],
      [new Error("No."), 500, "call_creation_failed", "failed"],
    ])("%s leaves a failed call that costs nothing, and no event", async (error, status, code, outcome) => {
      plane.refuseNext(error);
      await refused(PHONE, status, code);
      const { data } = (
        await app.call<{ data: { status: string; call_outcome: string }[] }>("/v1/calls", { key })
      ).body;
      expect(data).toMatchObject([
        { status: "failed", call_outcome: outcome, call_sid: null, duration: null },
      ]);
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 0 });
      expect(await events(...CALL_EVENTS)).toEqual([]);
    });

    it("is a number of a carrier that isn't there", async () => {
      await app.database.query({
        text: "UPDATE phone_numbers SET carrier = 'sip' WHERE organization_id = $1",
        values: [organizationId],
      });
      await refused(PHONE, 503, "no_voice_carrier_available");
      expect(await wallet()).toMatchObject({ held: 0 });
    });
  });

  describe("at once", () => {
    it("30 starts at a cap of 5 make exactly 5 calls", async () => {
      await admin("", { concurrency_limit: 5 }, "PATCH");
      const answers = await Promise.all(Array.from({ length: 30 }, () => start(PHONE)));
      const count = (status: number) => answers.filter((answer) => answer.status === status).length;
      expect([count(201), count(429)]).toEqual([5, 25]);
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 5 * 90 });
      const live = plane.calls.slice(-5);
      await live[0]!.end({ status: "busy", outcome: "busy" });
      expect((await start(PHONE)).status).toBe(201);
      expect((await start(PHONE)).status).toBe(429);
    });

    it("starts can't spend the same tokens", async () => {
      await credit(-10_000 + 3 * 90 + 89);
      const answers = await Promise.all(Array.from({ length: 10 }, () => start(PHONE)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      expect(answers.filter(({ status }) => status === 402)).toHaveLength(7);
      expect(await wallet()).toMatchObject({ held: 270 });
    });
  });

  describe("an idempotency key", () => {
    it("places one call, whose answer comes again", async () => {
      const headers = { "idempotency-key": "one" };
      const before = plane.calls.length;
      const first = await start(BROWSER, headers);
      const again = await start(BROWSER, headers);
      expect(first.status).toBe(201);
      expect(again).toMatchObject({ status: 201, body: first.body });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(plane.calls.length).toBe(before + 1);
      expect((await start({ ...BROWSER, metadata: { a: 1 } }, headers)).body.error).toBe(
        "idempotency_key_reused",
      );
    });

    it("remembers refusals below 500, and neither 429 nor 5xx", async () => {
      const headers = (name: string) => ({ "idempotency-key": name });
      plane.refuseNext(new CarrierRefusal("carrier_dial_failed", "No."));
      expect((await start(PHONE, headers("dial"))).status).toBe(502);
      expect((await start(PHONE, headers("dial"))).status).toBe(201);
      await admin("", { concurrency_limit: 0 }, "PATCH");
      expect((await start(PHONE, headers("cap"))).status).toBe(429);
      await admin("", { concurrency_limit: 10 }, "PATCH");
      expect((await start(PHONE, headers("cap"))).status).toBe(201);
      await admin("/dnc", { phone_number: "4155550100" });
      expect((await start(PHONE, headers("dnc"))).status).toBe(403);
      await admin("/dnc/+14155550100", undefined, "DELETE");
      expect((await start(PHONE, headers("dnc"))).body.error).toBe("destination_on_dnc");
    });

    it("sent many times at once places one call", async () => {
      const before = plane.calls.length;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => start(PHONE, { "idempotency-key": "race" })),
      );
      expect(plane.calls.length).toBe(before + 1);
      for (const { status } of answers) expect([201, 409]).toContain(status);
    });
  });

  describe("an agent's calls", () => {
    it("run by its template, and are listed with it", async () => {
      const id = await agent({ system_prompt: "Hello {{first_name}}.", greeting: "Hi" });
      const leadId = await lead({ first_name: "Grace" });
      const json = { medium: "phone", lead_id: leadId };
      const { status, body } = await start(json, {}, `/v1/agents/${id}/calls`);
      expect(status).toBe(201);
      expect(body).toMatchObject({ agent_id: id, lead_id: leadId, medium: "phone" });
      expect(plane.last().setup).toMatchObject({
        instructions: "Hello Grace.",
        greeting: "Hi",
        briefing: "Grace asked for a human in a call with Ada.",
      });
      await start(PHONE);
      const listed = await app.call<{ data: { id: string }[] }>(`/v1/agents/${id}/calls`, { key });
      expect(listed.body.data.map((call) => call.id)).toEqual([body.id]);
      expect(
        (await app.call<{ data: unknown[] }>(`/v1/calls?agent_id=${id}`, { key })).body.data,
      ).toHaveLength(1);
    });

    it("take no template fields, need an agent, and one with a template", async () => {
      const id = await agent();
      const path = `/v1/agents/${id}/calls`;
      expect((await start({ medium: "browser", greeting: "x" }, {}, path)).body.error).toBe(
        "unknown_field:greeting",
      );
      expect((await start({ medium: "browser" }, {}, `/v1/agents/${UNKNOWN}/calls`)).body.error).toBe(
        "not_found",
      );
      await app.database.query({
        text: "UPDATE agents SET call_template = NULL WHERE organization_id = $1",
        values: [organizationId],
      });
      expect(await start({ medium: "browser" }, {}, path)).toMatchObject({
        status: 400,
        body: { error: "agent_has_no_call_template" },
      });
      expect((await app.call(`/v1/agents/${UNKNOWN}/calls`, { key })).status).toBe(404);
    });

    it("keep the agent from being deleted while they run", async () => {
      const id = await agent();
      await start({ medium: "browser" }, {}, `/v1/agents/${id}/calls`);
      const remove = () => app.call(`/v1/agents/${id}`, { key, method: "DELETE" });
      expect((await remove()).body.error).toBe("agent_in_use");
      await plane.last().end({ status: "failed", outcome: "not_connected" });
      expect((await remove()).status).toBe(200);
    });
  });

  describe("a browser call", () => {
    const session = (body: Record<string, unknown>) =>
      body.browser_session as {
        access_token: string;
        expires_at: string;
        connect_url: string;
        ice_servers: unknown[];
      };
    const connect = (
      id: unknown,
      token: string | null,
      json: unknown = { sdp: "v=0\r\n", type: "offer" },
      headers: Record<string, string> = {},
    ) => app.call(`/v1/calls/${id}/connect`, { json, headers, ...(token === null ? {} : { key: token }) });

    it("comes with a session, connects once, and reports its end", async () => {
      const { status, body } = await start({ ...BROWSER, medium: "web" });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        medium: "browser",
        direction: "web",
        call_sid: `web_${body.id}`,
        to_number: null,
        from_number: null,
        browser_session: {
          access_token: expect.stringMatching(/^\S{40,}$/),
          expires_at: new Date(clock.now() + 60_000).toISOString(),
          connect_url: `${app.config.public.url}/v1/calls/${body.id}/connect`,
          ice_servers: [{ urls: "stun:stun.example.com:3478" }],
        },
      });
      const { access_token: token } = session(body);
      const answer = await connect(body.id, token, undefined, { origin: "https://shop.example" });
      expect(answer).toMatchObject({
        status: 200,
        body: { type: "answer", sdp: expect.stringContaining("v=0") },
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(await read(body.id)).toMatchObject({ status: "initiated" });
      expect(await connect(body.id, token)).toMatchObject({
        status: 401,
        body: { error: "unauthenticated" },
      });
      await plane.last().answer();
      clock.advance(10_001);
      await plane.last().end();
      expect(
        (await events(...CALL_EVENTS)).map(({ type, data }) => [type, data.status ?? data.direction]),
      ).toEqual([
        ["call.started", "web"],
        ["call.completed", "completed"],
        ["call.transcript_ready", undefined],
      ]);
      expect((await events("call.completed"))[0]!.data).toEqual({
        call_id: body.id,
        direction: "web",
        status: "completed",
        duration_seconds: 11,
        agent_id: null,
        lead_id: null,
      });
      expect(await wallet()).toMatchObject({ balance: 10_000 - 11, held: 0 });
    });

    it("shows its token to nobody afterwards", async () => {
      const { body } = await start(BROWSER);
      const { access_token: token } = session(body);
      const text =
        JSON.stringify(await read(body.id)) + JSON.stringify((await admin(`/calls/${body.id}`)).body);
      expect(text).not.toContain(token);
      expect(text).not.toMatch(/token_hash|owner_id|lease/);
    });

    it("lets nobody in whose token is wrong, of another call, or late", async () => {
      const one = (await start(BROWSER)).body;
      const other = (await start(BROWSER)).body;
      const token = session(one).access_token;
      const flipped = token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
      for (const [id, wrong] of [
        [one.id, null],
        [one.id, "x"],
        [one.id, flipped],
        [one.id, key],
        [other.id, token],
        [UNKNOWN, token],
        ["not-an-id", token],
      ] as const)
        expect(await connect(id, wrong)).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
      // Also before the body is looked at.
      expect((await connect(one.id, "x", { sdp: 5 })).status).toBe(401);
      clock.advance(60_000);
      expect((await connect(one.id, token)).status).toBe(401);
    });

    it.each([
      [{ sdp: "nonsense", type: "offer" }],
      [{ sdp: 5, type: "offer" }],
      [{ sdp: "v=0", type: "answer" }],
      [{ type: "offer" }],
      [{ sdp: "x".repeat(65_537), type: "offer" }],
    ])("refuses the offer %j, and takes a better one", async (json) => {
      const { body } = await start(BROWSER);
      const token = session(body).access_token;
      expect(await connect(body.id, token, json)).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
      expect((await connect(body.id, token)).status).toBe(200);
    });

    it("takes one of many connections at once", async () => {
      const { body } = await start(BROWSER);
      const token = session(body).access_token;
      const answers = await Promise.all(Array.from({ length: 8 }, () => connect(body.id, token)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
    });

    it("answers what browsers ask first, there and nowhere else", async () => {
      const ask = (path: string) =>
        app.call(path, {
          method: "OPTIONS",
          headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
        });
      const preflight = await ask(`/v1/calls/${UNKNOWN}/connect`);
      expect(preflight.status).toBe(204);
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization, content-type",
      });
      const refused = await connect(UNKNOWN, "x");
      expect(refused.headers.get("access-control-allow-origin")).toBe("*");
      for (const path of ["/v1/calls", `/v1/calls/${UNKNOWN}/hangup`, "/v1/leads"]) {
        const other = await ask(path);
        expect(other.status).toBe(404);
        expect(other.headers.get("access-control-allow-origin")).toBeNull();
      }
      expect((await app.call("/v1/calls", { key })).headers.get("access-control-allow-origin")).toBeNull();
    });
  });

  describe("hanging up", () => {
    const hangUp = (id: unknown) => app.call(`/v1/calls/${id}/hangup`, { key, method: "POST" });

    it("ends a connected call as completed, once", async () => {
      const { id } = (await start(PHONE)).body;
      expect(await hangUp(id)).toMatchObject({ status: 409, body: { error: "call_not_connected" } });
      await plane.last().ring();
      expect((await hangUp(id)).body.error).toBe("call_not_connected");
      await plane.last().answer();
      clock.advance(5_000);
      expect(await hangUp(id)).toMatchObject({
        status: 200,
        body: { id, status: "completed", duration: 5, cost_tokens: 8, transitions: expect.any(Array) },
      });
      expect(await hangUp(id)).toMatchObject({ status: 409, body: { error: "call_already_ended" } });
      expect((await hangUp(UNKNOWN)).status).toBe(404);
    });

    it("by an operator cancels a call that rings", async () => {
      const { id } = (await start(PHONE)).body;
      await plane.last().ring();
      expect(await admin(`/calls/${id}/hangup`, {})).toMatchObject({
        status: 200,
        body: { status: "canceled" },
      });
    });
  });

  describe("lists", () => {
    it("filter by everything the contract names", async () => {
      const leadId = await lead();
      const first = (await start({ ...PHONE, lead_id: leadId })).body;
      await plane.last().end({ status: "busy", outcome: "busy" });
      const between = new Date(clock.now() + 500).toISOString();
      clock.advance(1_000);
      const second = (await start(BROWSER)).body;
      const ids = async (query: string) =>
        (await app.call<{ data: { id: string }[] }>(`/v1/calls?${query}`, { key })).body.data.map(
          ({ id }) => id,
        );
      expect(await ids("")).toEqual([second.id, first.id]);
      expect(await ids("limit=1&offset=1")).toEqual([first.id]);
      expect(await ids("status=busy")).toEqual([first.id]);
      expect(await ids("status=nonsense")).toEqual([]);
      expect(await ids(`lead_id=${leadId}`)).toEqual([first.id]);
      expect(await ids("medium=phone")).toEqual([first.id]);
      expect(await ids("medium=web")).toEqual([second.id]);
      expect(await ids(`created_after=${between}`)).toEqual([second.id]);
      expect(await ids(`created_before=${between}`)).toEqual([first.id]);
      expect(await ids(`agent_id=${UNKNOWN}`)).toEqual([]);
      for (const [query, status, error] of [
        [`lead_id=${UNKNOWN}`, 404, "lead_not_found"],
        [`campaign_id=${UNKNOWN}`, 404, "campaign_not_found"],
        ["lead_id=x", 400, "invalid_request"],
        ["medium=fax", 400, "invalid_medium"],
        ["created_after=yesterday", 400, "invalid_request"],
        ["limit=0", 400, "invalid_request"],
      ] as const)
        expect(await app.call(`/v1/calls?${query}`, { key })).toMatchObject({ status, body: { error } });
      expect((await admin("/calls?live=true")).body.data).toMatchObject([{ id: second.id }]);
    });

    it("show nothing of other organizations", async () => {
      const { id } = (await start(PHONE)).body;
      const stranger = await app.newOrganization();
      for (const path of ["", "/transcript", "/recording"])
        expect((await app.call(`/v1/calls/${id}${path}`, { key: stranger.key })).status).toBe(404);
      expect((await app.call<{ data: unknown[] }>("/v1/calls", { key: stranger.key })).body.data).toEqual([]);
    });
  });

  describe("the tools of a call", () => {
    it("put a number on the list with the evidence, and mark the lead", async () => {
      const leadId = await lead();
      const { id } = (await start(PHONE)).body;
      await plane.last().answer();
      const told = await plane.last().ports.runTool("record_opt_out", { evidence: "Never call me again!" });
      expect(told).toEqual({ ok: true, result: { recorded: true } });
      expect((await admin("/dnc")).body.data).toMatchObject([
        {
          phone_number: "+14155550100",
          source: "call",
          added_by: `call:${id}`,
          reason: "Never call me again!",
        },
      ]);
      expect((await app.call(`/v1/leads/${leadId}`, { key })).body.status).toBe("do_not_call");
      expect(await events("lead.disposition_changed", "lead.updated")).toEqual([]);
      await plane.last().end({ outcome: "do_not_call" });
      expect(await read(id)).toMatchObject({ call_outcome: "do_not_call", disposition: "do_not_call" });
      expect((await start(PHONE)).body.error).toBe("destination_on_dnc");
    });

    it("say so when a browser call has no number to list", async () => {
      await start(BROWSER);
      expect(await plane.last().ports.runTool("record_opt_out", { evidence: "no" })).toMatchObject({
        ok: false,
      });
    });

    it("transfer to the template's number, else to a simulated human", async () => {
      await start(PHONE);
      expect(await plane.last().ports.beginTransfer()).toMatchObject({ to: "+14155550100", from: FROM });
      const { id } = (await start({ ...PHONE, transfer_number: "303 555 0111" })).body;
      const { ports } = plane.last();
      const failed = (await ports.beginTransfer())!;
      await ports.endTransfer(failed.transferId, "failed");
      const target = (await ports.beginTransfer())!;
      expect(target).toMatchObject({ to: "+13035550111", from: FROM, carrier: simulated });
      await ports.endTransfer(target.transferId, "success");
      await ports.endTransfer(target.transferId, "success");
      expect(await events("call.transferred")).toEqual([
        {
          type: "call.transferred",
          data: { transfer_id: target.transferId, mode: "warm", outcome: "success" },
        },
      ]);
      expect((await read(id)).transfers).toMatchObject([{ outcome: "failed" }, { outcome: "success" }]);
    });

    it("transfer to nobody who is on the do-not-call list", async () => {
      await admin("/dnc", { phone_number: "303 555 0112" });
      await start({ ...PHONE, transfer_number: "303 555 0112" });
      expect(await plane.last().ports.beginTransfer()).toBeNull();
      await start({ ...BROWSER, transfer_number: "303 555 0112" });
      expect(await plane.last().ports.beginTransfer()).toBeNull();
    });
  });

  describe("a call whose process died", () => {
    it("is ended within a minute, its money settled once", async () => {
      const { id } = (await start(PHONE)).body;
      const call = plane.last();
      await call.answer();
      await call.say("agent", "Hello?");
      const answered = clock.now();
      call.vanish();
      const ended = async () => (await read(id)).ended_at !== null;
      for (let passed = 0; passed < 60_000 && !(await ended()); passed += 5_000) {
        clock.advance(5_000);
        await settle(async () => clock.pending() > 1);
      }
      const record = await read(id);
      expect(record).toMatchObject({ status: "failed", call_outcome: "failed", transcript_status: "ready" });
      // The lease was last kept up before the answer: nothing tells that it lived any longer.
      expect(record).toMatchObject({ ended_at: new Date(answered).toISOString(), duration: 0 });
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 0 });
      // The process was only slow: what it says now comes too late.
      await call.end();
      await expect(call.ports.moved("in-progress", clock.now())).rejects.toThrow("isn't live");
      await call.say("agent", "Still there?");
      expect(await read(id)).toEqual(record);
      expect(await wallet()).toMatchObject({ balance: 10_000, held: 0 });
      expect(await events("call.transcript_ready")).toHaveLength(1);
    });

    it("isn't one that lives: its lease is kept up", async () => {
      const { id } = (await start(PHONE)).body;
      await plane.last().answer();
      for (let round = 0; round < 30; round++) {
        clock.advance(5_000);
        await settle(async () => clock.pending() > 1);
      }
      expect(await read(id)).toMatchObject({ status: "in-progress" });
      await plane.last().end();
    });

    const settle = async (done: () => Promise<boolean>) => {
      for (let tries = 0; tries < 50; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (tries > 3 && (await done())) return;
      }
    };
  });

  it("refuses moves that the states don't know", async () => {
    const { id } = (await start(PHONE)).body;
    const { ports } = plane.last();
    await expect(ports.moved("in-progress", clock.now())).rejects.toThrow("can't become in-progress");
    await ports.moved("initiated", clock.now());
    await expect(ports.moved("initiated", clock.now())).rejects.toThrow();
    // An end that the record can't come to is a failure.
    await plane.last().end({ status: "completed" });
    expect(await read(id)).toMatchObject({ status: "failed", call_outcome: "failed", cost_tokens: 0 });
  });

  it("shows operators everything there is of a call", async () => {
    const { id } = (await start(PHONE)).body;
    await plane.last().answer();
    await plane.last().say("agent", "Hello");
    expect((await admin(`/calls/${id}`)).body).toMatchObject({
      held_tokens: 90,
      ledger_entries: [],
      verdict: null,
    });
    clock.advance(1_000);
    await plane.last().end();
    expect((await admin(`/calls/${id}`)).body).toMatchObject({
      id,
      held_tokens: 0,
      turns: [{ text: "Hello" }],
      ledger_entries: [{ kind: "call", tokens: -2, balance: 9_998 }],
      transitions: [{}, {}, {}, { status: "completed" }],
    });
    expect((await admin(`/calls/${UNKNOWN}`)).status).toBe(404);
  });
});
