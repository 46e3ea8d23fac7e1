import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { type Carrier, CarrierRefusal } from "../../voice/carriers/carrier.ts";

/** What a process asks of another that runs calls. Several services in this one, on planes without media. */

const PHONE = { medium: "phone", to_number: "4155550100", system_prompt: "Be kind." };
const BROWSER = { medium: "browser", system_prompt: "Be kind." };
const OFFER = { type: "offer", sdp: "v=0\r\n" };

const simulated: Carrier = {
  name: "simulated",
  dial() {
    throw new Error("the fake plane dials nobody");
  },
  async close() {},
};

interface Voice {
  app: TestService;
  plane: FakeVoicePlane;
  /** Runs once, as the plane is asked for the next call. */
  beforeNext(work: () => Promise<unknown>): void;
}

let testDatabase: TestDatabase;
let api: TestService;
let organizationId: string;
let key: string;
const running: TestService[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestService({
    testDatabase,
    environment: { ROLES: "api,admin", PUBLIC_URL: "https://voice.example" },
  });
});
beforeEach(async () => {
  ({ organizationId, key } = await api.newOrganization());
  await admin("/wallet/credits", { tokens: 1_000 });
  await admin("/numbers", { phone_number: "2125550199" });
});
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});
afterAll(async () => {
  await api.close();
  await testDatabase.drop();
});

const open = () => query("SELECT FROM voice_processes WHERE state = 'open'");

async function voice(environment: Record<string, string> = {}, drainMs = 0): Promise<Voice> {
  const others = await open();
  const plane = fakeVoicePlane(systemClock());
  let before: (() => Promise<unknown>) | null = null;
  const work = async () => {
    const due = before;
    before = null;
    await due?.();
  };
  const app = await startTestService({
    testDatabase,
    environment: { ROLES: "voice,admin", ...environment },
    service: {
      voice: {
        plane: {
          ...plane,
          startPhoneCall: (...call) => work().then(() => plane.startPhoneCall(...call)),
          startBrowserCall: (...call) => work().then(() => plane.startBrowserCall(...call)),
        },
        carriers: [simulated],
        drainMs,
      },
    },
  });
  running.push(app);
  await expect.poll(open).toHaveLength(others.length + 1);
  return {
    app,
    plane,
    beforeNext(next) {
      before = next;
    },
  };
}

const query = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  api.database.query<Row>({ text, values });
const admin = (path: string, json?: unknown, app = api) =>
  app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, json === undefined ? {} : { json });
const start = (json: unknown, headers: Record<string, string> = {}, app = api) =>
  app.call("/v1/calls", { key, json, headers });
const read = async (id: unknown) => (await api.call(`/v1/calls/${id}`, { key })).body;
const held = async () => (await admin("/wallet")).body.held;
const callsStarted = async () =>
  (await query("SELECT FROM events WHERE organization_id = $1 AND type = 'call.started'", [organizationId]))
    .length;
const live = async () => (await admin("/calls?live=true")).body.data as { id: string; status: string }[];
const requests = () => query("SELECT FROM voice_requests WHERE organization_id = $1", [organizationId]);
const outcomes = async () =>
  String((await api.callPrivate("/metrics")).body).match(/^outreach_voice_requests_total.*$/gm);

describe("a start where no calls are run", () => {
  it("runs in a process that does, as if it had been asked itself", async () => {
    const { plane } = await voice();
    const { status, body } = await start({ ...PHONE, metadata: { z: 1, a: 2 } });
    expect(status).toBe(201);
    expect(plane.last()).toMatchObject({ callId: body.id, dial: { to: "+14155550100" } });
    expect(body).toMatchObject({ call_sid: `fake-${body.id}`, status: "initiating" });
    expect(JSON.stringify(body.metadata)).toBe('{"z":1,"a":2}');
    expect([await callsStarted(), await held(), await requests()]).toEqual([1, 90, []]);
    await plane.last().answer();
    expect(await read(body.id)).toMatchObject({ status: "in-progress" });
    expect(await outcomes()).toContain('outreach_voice_requests_total{kind="start",outcome="done"} 1');
  });

  it("of an agent, and of the private API, too", async () => {
    const { plane } = await voice();
    const agent = (
      await api.call("/v1/agents", { key, json: { name: "Ada", call_template: { system_prompt: "Hi." } } })
    ).body.id;
    const { medium, to_number } = PHONE;
    expect(await api.call(`/v1/agents/${agent}/calls`, { key, json: { medium, to_number } })).toMatchObject({
      status: 201,
      body: { id: plane.last().callId, agent_id: agent },
    });
    expect(await admin(`/agents/${agent}/browser-calls`, {})).toMatchObject({ status: 201 });
    expect((await admin(`/calls/${plane.last().callId}`)).body).toMatchObject({
      origin: "app",
      agent_id: agent,
    });
  });

  it("is answered once for a key, and the answer is the same ever after", async () => {
    const { plane } = await voice();
    const headers = { "idempotency-key": "one" };
    const answers = await Promise.all([1, 2, 3].map(() => start(PHONE, headers)));
    const [first] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(await start(PHONE, headers)).toMatchObject({ status: 201, body: first!.body });
    expect([plane.calls.length, await callsStarted()]).toEqual([1, 1]);
  });

  it("is refused as the other process refuses it, and may then be tried again", async () => {
    const { plane } = await voice();
    plane.refuseNext(new CarrierRefusal("voice_carrier_blocked", "The carrier says no.", "blocked"));
    const headers = { "idempotency-key": "refused" };
    expect(await start(PHONE, headers)).toMatchObject({
      status: 502,
      body: { error: "voice_carrier_blocked", message: "The carrier says no." },
    });
    expect(await held()).toBe(0);
    await admin("/dnc", { phone_number: "4155550101" });
    const listed = { ...PHONE, to_number: "4155550101" };
    expect(await start(listed)).toMatchObject({ status: 403, body: { error: "destination_on_dnc" } });
    expect(await start(PHONE, headers)).toMatchObject({ status: 201 });
    expect([await callsStarted(), await requests()]).toEqual([1, []]);
  });

  it("is refused at once where no process runs calls, and nothing is left of it", async () => {
    const before = performance.now();
    expect(await start(PHONE)).toMatchObject({
      status: 503,
      body: { error: "voice_provider_unavailable" },
    });
    // Far below what is waited for a process that is there.
    expect(performance.now() - before).toBeLessThan(4_000);
    expect([await held(), await live(), await requests()]).toEqual([0, [], []]);
  });

  it("is refused within seconds where the only process has died, and nothing is left of it", async () => {
    await query(
      "INSERT INTO voice_processes (id, state, seen_at, beats) VALUES (gen_random_uuid(), 'open', now(), 1)",
    );
    try {
      expect(await start(PHONE)).toMatchObject({
        status: 503,
        body: { error: "voice_provider_unavailable" },
      });
      expect([await held(), await live(), await requests()]).toEqual([0, [], []]);
    } finally {
      await query("DELETE FROM voice_processes");
    }
  });
});

describe("a start that nobody waits for any more", () => {
  const giveUp = () => query("DELETE FROM voice_requests WHERE organization_id = $1", [organizationId]);
  const nothingIsLeft = async (plane: FakeVoicePlane) => {
    await expect.poll(live).toEqual([]);
    await expect.poll(() => plane.running()).toEqual([]);
    expect([await held(), await callsStarted()]).toEqual([0, 0]);
  };

  it("isn't accepted: what was dialed is hung up, and its key is free", async () => {
    const { plane, beforeNext } = await voice();
    const headers = { "idempotency-key": "late" };
    beforeNext(giveUp);
    expect(await start(PHONE, headers)).toMatchObject({ status: 503 });
    await nothingIsLeft(plane);
    expect(await start(PHONE, headers)).toMatchObject({ status: 201 });
    expect([plane.calls.length, await callsStarted()]).toEqual([2, 1]);
  });

  it("isn't accepted when its key was taken over either", async () => {
    const { plane, beforeNext } = await voice();
    const headers = { "idempotency-key": "taken" };
    beforeNext(() =>
      query("UPDATE idempotency_records SET claim_id = gen_random_uuid() WHERE organization_id = $1", [
        organizationId,
      ]),
    );
    expect(await start(PHONE, headers)).toMatchObject({
      status: 409,
      body: { error: "idempotency_in_progress" },
    });
    await nothingIsLeft(plane);
  });

  it("isn't even stored when it was given up before that", async () => {
    const { app, plane } = await voice();
    // The wallet is held by another transaction until the request is gone.
    await app.database.transaction(async (transaction) => {
      await transaction.query({
        text: "SELECT FROM wallets WHERE organization_id = $1 FOR UPDATE",
        values: [organizationId],
      });
      const answer = start(PHONE);
      await expect
        .poll(() => query("SELECT FROM voice_requests WHERE claimed_by IS NOT NULL"))
        .toHaveLength(1);
      await giveUp();
      expect(await answer).toMatchObject({ status: 503 });
    });
    await nothingIsLeft(plane);
    expect([plane.calls, (await admin("/calls")).body.data]).toEqual([[], []]);
  });

  it("ends at once when its process was lost after storing it", async () => {
    const { plane, beforeNext } = await voice();
    // As if nothing were heard of it any more.
    beforeNext(async () => {
      await query("UPDATE voice_requests SET claimed_by = gen_random_uuid()");
      await expect.poll(live).toEqual([]);
    });
    const answer = await start(PHONE);
    expect(answer).toMatchObject({ status: 503, body: { error: "voice_provider_unavailable" } });
    await nothingIsLeft(plane);
    const { data } = (await admin("/calls")).body as { data: { id: string }[] };
    expect(await read(data[0]!.id)).toMatchObject({
      status: "failed",
      end_reason: "The process that was to run the call was lost.",
      cost_tokens: 0,
    });
  });
});

describe("a page and a hangup", () => {
  it("reach their call through any process; the page's token is good once", async () => {
    const { plane } = await voice();
    const { body } = await start(BROWSER);
    const session = body.browser_session as { access_token: string; connect_url: string };
    expect(session.connect_url).toBe(`https://voice.example/v1/calls/${body.id}/connect`);
    const connect = (json: unknown) =>
      api.call(`/v1/calls/${body.id}/connect`, { key: session.access_token, json });

    expect(await connect({ ...OFFER, sdp: "nonsense" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request", message: "The SDP can't be read." },
    });
    const both = await Promise.all([connect(OFFER), connect(OFFER)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(both.find(({ status }) => status === 200)!.body).toEqual({
      type: "answer",
      sdp: `v=0\r\ns=answer of ${body.id}\r\n`,
    });
    expect(await connect(OFFER)).toMatchObject({ status: 401 });

    await plane.last().answer();
    expect((await admin(`/calls/${body.id}/hangup`, {})).body).toMatchObject({
      status: "completed",
      end_reason: "hung up by operator",
    });
    expect(await requests()).toEqual([]);
    // Nothing that a page has sent, or its token's hash, stays behind.
    expect(await outcomes()).toContain('outreach_voice_requests_total{kind="hangup",outcome="done"} 1');
  });

  it("of somebody who texts STOP comes after a sentence to them, wherever the call runs", async () => {
    const { plane } = await voice();
    const { body } = await start(PHONE);
    await plane.last().answer();
    const text = { from_number: "4155550100", to_number: "2125550199", body: "STOP" };
    expect(await admin("/texts", text)).toMatchObject({ status: 201 });
    // As the session ends it that says the sentence.
    await expect
      .poll(() => read(body.id))
      .toMatchObject({
        status: "completed",
        call_outcome: "do_not_call",
        end_reason: "The person asked by text not to be called.",
      });
  });

  it("are found without a notification, which a pooler may lose", async () => {
    const { plane } = await voice();
    await start(BROWSER);
    await query(
      `INSERT INTO voice_requests (organization_id, id, kind, owner_id, call_id, payload, created_at)
       SELECT organization_id, gen_random_uuid(), 'hangup', owner_id, id, '{"reason":"asked"}', now() FROM calls
       WHERE id = $1`,
      [plane.last().callId],
    );
    await expect
      .poll(() => read(plane.last().callId))
      .toMatchObject({ status: "canceled", end_reason: "asked" });
  });

  it("find out when the process of their call is gone", async () => {
    const { plane } = await voice();
    const { body } = await start(BROWSER);
    const { access_token } = body.browser_session as { access_token: string };
    plane.last().vanish();
    expect(await api.call(`/v1/calls/${body.id}/connect`, { key: access_token, json: OFFER })).toMatchObject({
      status: 503,
      body: { error: "voice_provider_unavailable" },
    });
    plane.calls.length = 0;
  });
});

describe("a process that is full, or drained", () => {
  it("hands on what it has no room for, and refuses it where nobody has", async () => {
    const first = await voice({ ROLES: "api,voice,admin", VOICE_MAX_CALLS: "1" });
    expect(await start(PHONE, {}, first.app)).toMatchObject({ status: 201 });
    expect(await start(PHONE, {}, first.app)).toMatchObject({
      status: 429,
      body: { error: "concurrency_limit" },
    });
    // Elsewhere it is known a moment later.
    await expect.poll(() => query("SELECT state FROM voice_processes")).toEqual([{ state: "full" }]);
    expect(await start(PHONE)).toMatchObject({ status: 429, body: { error: "concurrency_limit" } });

    const second = await voice();
    const answer = await start(PHONE, {}, first.app);
    expect(answer).toMatchObject({ status: 201, body: { id: second.plane.last().callId } });
    expect([first.plane.running().length, second.plane.running().length]).toEqual([1, 1]);
  });

  it("takes no new calls, and finishes its own", async () => {
    const old = await voice({ ROLES: "api,voice,admin" }, 60_000);
    const { body } = await start(BROWSER, {}, old.app);
    const { access_token } = body.browser_session as { access_token: string };
    const page = old.plane.last();
    running.splice(running.indexOf(old.app), 1);
    let isClosed = false;
    const closed = old.app.close().then(() => {
      isClosed = true;
    });
    await expect.poll(() => query("SELECT state FROM voice_processes")).toEqual([{ state: "draining" }]);
    expect(await start(PHONE)).toMatchObject({
      status: 503,
      body: { error: "voice_provider_unavailable" },
    });

    const next = await voice();
    const started = await start(PHONE);
    expect(started).toMatchObject({ status: 201, body: { id: next.plane.last().callId } });
    expect(await api.call(`/v1/calls/${body.id}/connect`, { key: access_token, json: OFFER })).toMatchObject({
      status: 200,
    });
    await page.answer();
    await page.say("user", "Are you still there?");
    expect(isClosed).toBe(false);
    expect(await api.call(`/v1/calls/${body.id}/hangup`, { key, method: "POST" })).toMatchObject({
      status: 200,
      body: { status: "completed" },
    });
    await closed;
    expect(old.plane.calls).toHaveLength(1);
    expect(await query("SELECT FROM voice_processes")).toHaveLength(1);
  });
});
