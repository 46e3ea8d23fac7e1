import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../../testing/free-port.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { spoken } from "../../testing/spoken.ts";
import {
  TELNYX_API_KEY,
  TELNYX_CONNECTION_ID,
  type TelnyxServer,
  type TelnyxServerCall,
  telnyxServer,
} from "../../testing/voice/telnyx-server.ts";
import type { TelnyxStream } from "../../testing/voice/telnyx-stream.ts";
import { decodeG711 } from "../../voice/media/g711.ts";

/** From the request to the last event over the stand-in for Telnyx: HTTP, webhooks and WebSockets on loopback, in real time. */

const FROM = "+12125550199";
const TO = "+13035551234";
const EVENTS = "/v1/callbacks/telnyx/calls";

let vendor: TelnyxServer;
let app: TestService;
let plain: TestService;
let ticking: NodeJS.Timeout;
let onDial: (call: TelnyxServerCall) => Promise<unknown>;
let organizationId: string;
let key: string;
let agentId: string;

beforeAll(async () => {
  vendor = await telnyxServer({ onDial: async (call) => void (await onDial(call)), now: Date.now });
  const port = await freePort();
  app = await startTestService({
    environment: {
      PORT: String(port),
      VOICE_URL: `http://127.0.0.1:${port}`,
      TELNYX_API_URL: vendor.url,
      TELNYX_API_KEY,
      TELNYX_CONNECTION_ID,
      TELNYX_PUBLIC_KEY: vendor.publicKey,
    },
  });
  plain = await startTestService();
  ticking = setInterval(vendor.tick, 20);
});
beforeEach(async () => {
  onDial = (call) => call.initiated();
  ({ organizationId, key } = await app.newOrganization());
  const admin = (path: string, json: unknown) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, { json });
  await admin("/wallet/credits", { tokens: 100_000 });
  expect(await admin("/numbers", { phone_number: FROM, carrier: "telnyx" })).toMatchObject({ status: 201 });
  const json = {
    name: "Ada",
    call_template: {
      system_prompt: "You are Ada.",
      greeting: "Hello, this is Ada.",
      recording_enabled: true,
    },
  };
  agentId = String((await app.call("/v1/agents", { key, json })).body.id);
});
afterAll(async () => {
  clearInterval(ticking);
  await app?.close();
  await plain?.close();
  await vendor?.close();
});

interface Call {
  id: string;
  status: string;
  ended_at: string | null;
  [field: string]: unknown;
}
const start = (more: object = {}) =>
  app.call<Call>(`/v1/agents/${agentId}/calls`, { key, json: { medium: "phone", to_number: TO, ...more } });
const read = async (id: string) => (await app.call<Call>(`/v1/calls/${id}`, { key })).body;
const ended = async (id: string) => {
  await expect.poll(async () => (await read(id)).ended_at, { timeout: 30_000 }).not.toBeNull();
  return read(id);
};
const transcript = async (id: string) =>
  (
    await app.call<{ turns: { role: string; source: string; text: string }[] }>(
      `/v1/calls/${id}/transcript`,
      {
        key,
      },
    )
  ).body.turns;
const loudFrames = (stream: TelnyxStream) => stream.heard.filter((level) => level > 500).length;

/** Answers, and says hello as a person does. */
function answers(): { stream: Promise<TelnyxStream>; call: () => TelnyxServerCall } {
  let there: TelnyxServerCall;
  const stream = new Promise<TelnyxStream>((resolve, reject) => {
    onDial = async (call) => {
      there = call;
      await call.initiated();
      const opened = await call.answered();
      opened.say(spoken("Hello?", "otto"));
      resolve(opened);
    };
    setTimeout(() => reject(new Error("nobody was called")), 20_000).unref();
  });
  return { stream, call: () => there };
}

describe("a call over Telnyx", () => {
  it("is heard by both sides, written down and recorded, and ends when the person hangs up", async () => {
    const far = answers();
    const started = await start();
    expect(started).toMatchObject({ status: 201, body: { status: "initiating", from_number: FROM } });
    const { id } = started.body;
    expect(started.body.call_sid).toBe(vendor.calls.at(-1)!.id);
    const stream = await far.stream;
    const said = async () => (await transcript(id)).map(({ text }) => text).join(" ");
    await expect.poll(said, { timeout: 30_000 }).toMatch(/this is Ada/);
    expect(loudFrames(stream)).toBeGreaterThan(30);
    stream.say(spoken("I am fine, thank you. What is this about?", "otto"));
    const heard = async () => (await transcript(id)).filter(({ role }) => role !== "agent").length;
    await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(1);
    await far.call().hangup();
    const call = await ended(id);
    expect(call).toMatchObject({ status: "completed", carrier: "telnyx", origin: "api", from_number: FROM });
    expect(stream.mistakes).toEqual([]);
    expect(vendor.received.filter(({ command }) => command === "hangup")).toEqual([]);
    const sides = await recorded(id);
    expect(sides.every((loudest) => loudest > 2_000)).toBe(true);
  });

  it("is hung up by request, and over at Telnyx then", async () => {
    const far = answers();
    const { body } = await start();
    await far.stream;
    await expect.poll(async () => (await read(body.id)).status, { timeout: 30_000 }).toBe("in-progress");
    expect(await app.call(`/v1/calls/${body.id}/hangup`, { key, method: "POST" })).toMatchObject({
      status: 200,
    });
    expect(await ended(body.id)).toMatchObject({ status: "completed" });
    await expect.poll(() => far.call().isOver()).toBe(true);
    expect((await far.stream).isOpen()).toBe(false);
  });

  it.each([
    ["user_busy", "486", { status: "busy", call_outcome: "busy" }],
    ["timeout", "487", { status: "no-answer", call_outcome: "no_answer" }],
    ["call_rejected", "603", { status: "no-answer", call_outcome: "declined" }],
    ["call_rejected", "403", { status: "failed", call_outcome: "blocked" }],
    ["not_found", "404", { status: "failed", call_outcome: "invalid_number" }],
    ["unspecified", "503", { status: "failed", call_outcome: "congestion" }],
  ])("that ends with %s and %s is told so", async (cause, sipCause, expected) => {
    onDial = async (call) => {
      await call.initiated();
      await call.hangup(cause, sipCause);
    };
    expect(await ended((await start()).body.id)).toMatchObject(expected);
  });

  it("that isn't taken says why", async () => {
    vendor.misbehave("dial", {
      status: 403,
      body: JSON.stringify({
        errors: [{ code: "D13", title: "Dialed number is not included in whitelisted countries" }],
      }),
    });
    const refused = await start();
    expect(refused).toMatchObject({ status: 502, body: { error: "voice_carrier_blocked" } });
    expect(JSON.stringify(refused.body)).toMatch(/D13 Dialed number/);
    vendor.misbehave("dial", { status: 429, headers: { "retry-after": "30" } });
    expect(await start()).toMatchObject({ status: 429, body: { error: "concurrency_limit" } });
  });
});

describe("a call to a number at Telnyx", () => {
  const callIn = (to: string) => vendor.callIn({ from: TO, to, webhookUrl: app.publicUrl + EVENTS });

  it("is answered by the number's agent", async () => {
    await app.call(`/v1/agents/${agentId}/phone-number`, { key, json: { phone_number: FROM } });
    const opened: TelnyxStream[] = [];
    const there = callIn(FROM);
    const { stream } = there;
    there.stream = async (options) => {
      const made = await stream(options);
      opened.push(made);
      return made;
    };
    await expect.poll(() => (opened[0] ? loudFrames(opened[0]) : 0), { timeout: 30_000 }).toBeGreaterThan(30);
    await there.hangup("normal_clearing", "unspecified", "caller");
    const { data } = (await app.call<{ data: Call[] }>(`/v1/calls?agent_id=${agentId}`, { key })).body;
    expect(await ended(data[0]!.id)).toMatchObject({
      origin: "inbound",
      carrier: "telnyx",
      status: "completed",
      from_number: TO,
      to_number: FROM,
      call_sid: there.id,
    });
  });

  it("that no agent holds is rejected", async () => {
    const there = callIn("+12125550178");
    await expect.poll(() => there.isOver()).toBe(true);
    expect(vendor.received.at(-1)).toMatchObject({ command: "reject", body: { cause: "CALL_REJECTED" } });
  });
});

describe("a webhook about calls", () => {
  const event = JSON.stringify({
    data: { event_type: "call.hangup", payload: { call_control_id: "v3:nobody", hangup_cause: "user_busy" } },
  });
  const post = (body: string, headers: Record<string, string> = vendor.headersFor(body), to = app) =>
    to.call(EVENTS, { method: "POST", body, headers });

  it("that is signed is taken, whatever it is about", async () => {
    for (const body of [event, event, "{}", "[]", "not json", ""])
      expect(await post(body)).toMatchObject({ status: 200, body: { received: true } });
  });

  it("that isn't signed is refused, and so is one of long ago", async () => {
    const refused = { status: 401, body: { error: "unauthenticated" } };
    const headers = vendor.headersFor(event);
    expect(await post(`${event} `, headers)).toMatchObject(refused);
    expect(await post(event, { ...headers, "telnyx-signature-ed25519": "AAAA" })).toMatchObject(refused);
    expect(await post(event, { "content-type": "application/json" })).toMatchObject(refused);
    expect(await post(event, vendor.headersFor(event, Math.floor(Date.now() / 1000) - 301))).toMatchObject(
      refused,
    );
  });

  it("is not found where Telnyx isn't set up", async () => {
    expect(await post(event, undefined, plain)).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("lets nobody's media socket in", async () => {
    const url = `${app.publicUrl.replace("http", "ws")}/v1/callbacks/telnyx/media/${"a".repeat(40)}`;
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(url);
      socket.on("error", () => undefined);
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
      socket.on("open", () => resolve("open"));
    });
    expect(status).toBe(404);
  });
});

/** The loudest sample of each side of the recording. */
async function recorded(id: string): Promise<number[]> {
  const answer = await app.call(`/v1/calls/${id}/recording`, { key });
  expect(answer.status).toBe(302);
  const link = new URL(answer.headers.get("location")!);
  const wav = Buffer.from(await (await fetch(app.publicUrl + link.pathname + link.search)).arrayBuffer());
  const bytes = wav.subarray(wav.indexOf("data") + 8);
  return [0, 1].map((side) =>
    decodeG711(
      "pcmu",
      bytes.filter((_, at) => at % 2 === side),
    ).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
  );
}
