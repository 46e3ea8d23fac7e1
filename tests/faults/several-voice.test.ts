import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../server/src/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../../server/src/testing/test-database.ts";
import { connectPage } from "../../server/src/voice/browser/testing/page-peer.ts";
import { FRAME_SAMPLES } from "../../server/src/voice/media/media-leg.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

/**
 * Calls on several machines: two processes that take requests and run no calls, and processes that run calls and take no
 * requests, on one PostgreSQL. Each test goes on where the one before it has ended.
 */

let testDatabase: TestDatabase;
let database: Database;
let environment: Record<string, string>;
let api: ServiceProcess;
let otherApi: ServiceProcess;
let voice: ServiceProcess;
let nextVoice: ServiceProcess;
let organizationId: string;
let key: string;
/** Takes connections and never says a word: over TLS, a call is stored and paid for and can't be asked for yet. */
let silence: Server;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 2 });
  const { host = "", port = 5432, user, password, database: name } = testDatabase.connection;
  const query = new URLSearchParams({ host, port: String(port), user: user ?? "" });
  if (password) query.set("password", password);
  environment = { DATABASE_URL: `postgres:///${name}?${query}` };
  [api, otherApi, voice] = await Promise.all([
    startServiceProcess({ ...environment, ROLES: "api,admin" }),
    startServiceProcess({ ...environment, ROLES: "api,admin,janitor,dispatcher" }),
    startServiceProcess({
      ...environment,
      ROLES: "voice",
      RTP_PORTS: "20000-20499",
      VOICE_DRAIN_SECONDS: "90",
    }),
  ]);
  ({ organizationId, key } = await api.newOrganization());
  await api.admin(`/organizations/${organizationId}/wallet/credits`, { tokens: 10_000 });
  await api.admin(`/organizations/${organizationId}/numbers`, { phone_number: "4155550199" });
  silence = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(silence, "listening");
}, 120_000);
afterAll(async () => {
  silence?.close();
  await Promise.all([api, otherApi, voice, nextVoice].map((service) => service?.kill()));
  await database?.close();
  await testDatabase?.drop();
});

async function call<Body = Record<string, unknown>>(
  service: ServiceProcess,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${service.publicUrl}/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
const PERSON = {
  medium: "phone",
  to_number: "4155550110",
  system_prompt: "Be kind.",
  greeting: "Hello, this is Ada.",
};
const rows = (text: string) => database.query<Record<string, unknown>>({ text, values: [] });
const running = async (service: ServiceProcess) => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
  return Number(/^outreach_calls_live (\d+)$/m.exec(text)?.[1]);
};
const untilOpen = (count: number) =>
  expect
    .poll(() => rows("SELECT FROM voice_processes WHERE state = 'open'"), { timeout: 20_000 })
    .toHaveLength(count);
const turnsOf = async (service: ServiceProcess, id: unknown) =>
  (await call<{ turns: { role: string }[] }>(service, `/calls/${id}/transcript`)).body.turns;
const untilTalking = (service: ServiceProcess, id: unknown) =>
  expect
    .poll(async () => (await turnsOf(service, id)).map(({ role }) => role), { timeout: 30_000 })
    .toEqual(expect.arrayContaining(["agent", "user"]));

describe("calls on several machines", { timeout: 120_000 }, () => {
  it("are started, read and hung up through processes that don't run them", async () => {
    await untilOpen(1);
    const headers = { "idempotency-key": "one" };
    const started = await call(api, "/calls", PERSON, headers);
    expect(started).toMatchObject({ status: 201, body: { status: "initiating" } });
    expect(await call(otherApi, "/calls", PERSON, headers)).toEqual(started);
    expect(await running(voice)).toBe(1);
    const { id } = started.body;
    await untilTalking(otherApi, id);
    expect(await call(otherApi, `/calls/${id}/hangup`, {})).toMatchObject({
      status: 200,
      body: { id, status: "completed", transcript_status: "ready" },
    });
    expect(await running(voice)).toBe(0);
  });

  it("let a page in through any process, and hear it where they run", async () => {
    const { body } = await call(api, "/calls", { ...PERSON, medium: "browser", to_number: undefined });
    const { access_token } = body.browser_session as { access_token: string };
    const offers: string[] = [];
    const connect = async (sdp: string) => {
      offers.push(sdp);
      const authorization = `Bearer ${access_token}`;
      return call<{ sdp: string }>(
        otherApi,
        `/calls/${body.id}/connect`,
        { type: "offer", sdp },
        { authorization },
      );
    };
    const page = await connectPage({ connect: async (sdp: string) => (await connect(sdp)).body.sdp });
    try {
      expect(await connect(offers[0]!)).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
      await expect
        .poll(
          () => {
            page.say(new Int16Array(FRAME_SAMPLES));
            return page.heard.some((frame) => frame.some((sample) => Math.abs(sample) > 1_000));
          },
          { interval: 20, timeout: 30_000 },
        )
        .toBe(true);
      expect(await call(api, `/calls/${body.id}`)).toMatchObject({ body: { status: "in-progress" } });
    } finally {
      await page.close();
    }
    await expect
      .poll(async () => (await call(api, `/calls/${body.id}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: "completed", ended_at: expect.any(String) });
  });

  it("go on in a process that is drained, while another takes the new ones", async () => {
    const { id } = (await call(api, "/calls", PERSON)).body;
    nextVoice = await startServiceProcess({ ...environment, ROLES: "voice", RTP_PORTS: "20500-20999" });
    await untilOpen(2);
    await untilTalking(api, id);
    const before = (await turnsOf(api, id)).length;
    const drained = voice.stop();
    await untilOpen(1);
    expect((await fetch(`${voice.adminUrl}/readyz`)).status).toBe(503);
    const next = (await call(otherApi, "/calls", PERSON)).body;
    expect([await running(nextVoice), await running(voice)]).toEqual([1, 1]);
    await expect
      .poll(async () => (await turnsOf(api, id)).length, { timeout: 30_000 })
      .toBeGreaterThan(before);
    expect(await call(api, `/calls/${id}/hangup`, {})).toMatchObject({ body: { status: "completed" } });
    expect(await drained).toBe(0);
    await untilTalking(api, next.id);
    expect(await call(api, `/calls/${next.id}/hangup`, {})).toMatchObject({ status: 200 });
  });

  it("that a killed process had begun to start are refused, and hold nothing", async () => {
    const { port } = silence.address() as AddressInfo;
    const trunk = { name: "Dead", uri: `sip:127.0.0.1:${port}`, transport: "tls" };
    await api.admin("/trunks", { ...trunk, organization_id: organizationId });
    await api.admin(`/organizations/${organizationId}/numbers`, {
      phone_number: "4155550188",
      carrier: "sip",
    });
    const wallet = () => api.admin(`/organizations/${organizationId}/wallet`);
    const { balance } = await wallet();
    const asked = call(
      api,
      "/calls",
      { ...PERSON, from_number: "4155550188" },
      { "idempotency-key": "lost" },
    );
    // Stored and paid for, while the trunk's handshake is waited for.
    await expect.poll(() => rows("SELECT FROM voice_requests WHERE call_id IS NOT NULL")).toHaveLength(1);
    expect(await wallet()).toMatchObject({ held: 90 });
    await nextVoice.kill();

    expect(await asked).toMatchObject({ status: 503, body: { error: "voice_provider_unavailable" } });
    expect(await wallet()).toMatchObject({ balance, held: 0 });
    const { data } = await api.admin(`/organizations/${organizationId}/calls?live=true`);
    expect(data).toEqual([]);
    expect(await rows("SELECT FROM voice_requests")).toEqual([]);
  });
});
