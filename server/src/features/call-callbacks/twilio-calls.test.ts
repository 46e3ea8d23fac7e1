import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { spoken } from "../../testing/spoken.ts";
import {
  TWILIO_ACCOUNT_SID,
  TWILIO_AUTH_TOKEN,
  type TwilioServer,
  type TwilioServerCall,
  twilioServer,
} from "../../testing/voice/twilio-server.ts";
import type { TwilioStream } from "../../testing/voice/twilio-stream.ts";
import { decodeG711 } from "../../voice/media/g711.ts";

/** Calls over Twilio from the public API to the wire and back: a stand-in at its end, real audio, real time. */

const VOICE_URL = "https://voice.example.com";
const OURS = "+14155550199";
const THEIRS = "+12125550199";

let app: TestService;
/** A second process of the service. */
let other: TestService | undefined;
let server: TwilioServer;
let ticking: NodeJS.Timeout;
let speech: Int16Array;
/** What the far side does with a call to this number. */
const answers = new Map<string, (call: TwilioServerCall) => Promise<unknown>>();
let lastNumber = 100;
/** @returns a number that nobody else calls */
const whoAnswers = (how: (call: TwilioServerCall) => Promise<unknown>): string => {
  const number = `+12125550${++lastNumber}`;
  answers.set(number, how);
  return number;
};

beforeAll(async () => {
  speech = spoken("Hello, who is there?");
  server = await twilioServer({
    onDial: async (call) => answers.get(call.to)?.(call),
    // As a proxy before the service would.
    reach: (url) =>
      url
        .replace(/^(ws|http)s:\/\/voice\.example\.com/, app.publicUrl.replace(/^http/, "$1"))
        .replace(/^(ws|http)s:\/\/voice-2\.example\.com/, other?.publicUrl.replace(/^http/, "$1") ?? ""),
  });
  app = await startTestService({
    environment: {
      TWILIO_ACCOUNT_SID,
      TWILIO_AUTH_TOKEN,
      TWILIO_API_URL: server.url,
      VOICE_URL,
      PUBLIC_URL: "https://api.example.com",
      CARRIER_FALLBACKS: "sip,twilio",
    },
  });
  ticking = setInterval(() => server.tick(), 20);
});
afterAll(async () => {
  clearInterval(ticking);
  await app.close();
  await server.close();
});

async function newCustomer(carrier = "twilio") {
  const { organizationId, key } = await app.newOrganization();
  const admin = (path: string, json: unknown) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, { json });
  await admin("/wallet/credits", { tokens: 100_000 });
  expect(await admin("/numbers", { phone_number: OURS, carrier })).toMatchObject({ status: 201 });
  return { organizationId, key };
}

/** `expect.poll` isn't there for tests that run side by side. */
const waitFor = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });

const TEMPLATE = {
  system_prompt: "You are Ada of the example company.",
  greeting: "Hello, this is Ada.",
  recording_enabled: true,
};

interface CallRecord {
  id: string;
  call_sid: string;
  status: string;
  ended_at: string | null;
  recording_url: string | null;
}

const start = (key: string, to_number: string) =>
  app.call<CallRecord & { error?: string; message?: string }>("/v1/calls", {
    key,
    json: { medium: "phone", to_number, ...TEMPLATE },
  });
const read = async (key: string, id: string) => (await app.call<CallRecord>(`/v1/calls/${id}`, { key })).body;
const ended = async (key: string, id: string) => {
  await waitFor(async () => expect((await read(key, id)).ended_at).not.toBeNull());
  return read(key, id);
};
const turns = async (key: string, id: string) =>
  (await app.call<{ turns: { role: string; text: string }[] }>(`/v1/calls/${id}/transcript`, { key })).body
    .turns;

/** Picks up, and talks until the agent has been heard for a while. */
async function picksUp(call: TwilioServerCall): Promise<TwilioStream> {
  await call.tell("initiated");
  await call.tell("ringing");
  const stream = await call.answered();
  stream.say(speech);
  return stream;
}

/** The loudest sample of each side of the recording. */
async function recorded(key: string, id: string): Promise<number[]> {
  const answer = await app.call(`/v1/calls/${id}/recording`, { key });
  expect(answer.status).toBe(302);
  const link = new URL(answer.headers.get("location")!);
  const wav = Buffer.from(await (await fetch(app.publicUrl + link.pathname + link.search)).arrayBuffer());
  const samples = decodeG711("pcmu", wav.subarray(wav.indexOf("data") + 8));
  return [0, 1].map((side) =>
    samples.reduce((most, sample, at) => (at % 2 === side ? Math.max(most, Math.abs(sample)) : most), 0),
  );
}

const loudFrames = (stream: TwilioStream) => stream.heard.filter((level) => level > 1_000).length;

// They take their time, side by side.
describe.concurrent("a call over Twilio", { timeout: 90_000 }, () => {
  it("goes both ways, is recorded, and ends when the person hangs up", async () => {
    const { key } = await newCustomer();
    let stream: TwilioStream | undefined;
    const to = whoAnswers(async (call) => {
      stream = await picksUp(call);
    });
    const started = await start(key, to);
    expect(started).toMatchObject({ status: 201, body: { status: "initiating" } });
    const { id, call_sid } = started.body;
    expect(call_sid).toMatch(/^CA[0-9a-f]{32}$/);
    const call = server.calls.find(({ sid }) => sid === call_sid)!;
    expect(call.form.get("StatusCallback")).toBe(`${VOICE_URL}/v1/callbacks/twilio/calls/${id}`);
    expect(call.twiml).toContain('url="wss://voice.example.com/v1/callbacks/twilio/media/');
    // The announcement and the greeting have been said.
    const said = async () =>
      (await turns(key, id)).flatMap(({ role, text }) => (role === "agent" ? [text] : [])).join(" ");
    await waitFor(async () => expect(await said()).toMatch(/Hello, this is Ada/));
    expect(loudFrames(stream!)).toBeGreaterThan(50);
    const spokenTurns = async () => (await turns(key, id)).filter(({ role }) => role === "user").length;
    const before = await spokenTurns();
    stream!.say(speech);
    await waitFor(async () => expect(await spokenTurns()).toBeGreaterThan(before));
    await call.end("completed");
    const record = await ended(key, id);
    expect(record).toMatchObject({
      status: "completed",
      call_outcome: "completed",
      carrier: "twilio",
      from_number: OURS,
    });
    expect(stream!.mistakes).toEqual([]);
    expect(stream!.isOpen()).toBe(false);
    // Both sides are in it.
    for (const level of await recorded(key, id)) expect(level).toBeGreaterThan(1_000);
  });

  it("is hung up at Twilio when the API hangs it up", async () => {
    const { key } = await newCustomer();
    let stream: TwilioStream | undefined;
    const to = whoAnswers(async (call) => {
      stream = await picksUp(call);
    });
    const { id, call_sid } = (await start(key, to)).body;
    await waitFor(async () => expect(stream && loudFrames(stream)).toBeGreaterThan(20));
    expect(await app.call(`/v1/calls/${id}/hangup`, { key, method: "POST" })).toMatchObject({ status: 200 });
    expect(await ended(key, id)).toMatchObject({ status: "completed" });
    const call = server.calls.find(({ sid }) => sid === call_sid)!;
    await waitFor(async () => expect(call.status).toBe("completed"));
  });

  it.each([
    ["busy", { SipResponseCode: "486" }, { status: "busy", call_outcome: "busy" }],
    ["failed", { SipResponseCode: "404" }, { status: "failed", call_outcome: "invalid_number" }],
    ["no-answer", {}, { status: "no-answer", call_outcome: "no_answer" }],
  ])("that ends as %s with %j says so", async (status, fields, expected) => {
    const { key } = await newCustomer();
    const to = whoAnswers((call) => call.end(status, fields as Record<string, string>));
    const { id } = (await start(key, to)).body;
    expect(await ended(key, id)).toMatchObject(expected);
  });

  it("is one that a carrier before it in the order couldn't take", async () => {
    // There is no trunk.
    const { key } = await newCustomer("sip");
    const { status, body } = await start(
      key,
      whoAnswers((call) => call.end("busy")),
    );
    expect([status, body.call_sid]).toEqual([201, expect.stringMatching(/^CA/)]);
    expect(await ended(key, body.id)).toMatchObject({ carrier: "twilio", status: "busy", from_number: OURS });
  });
});

describe("a call that comes in over Twilio", { timeout: 60_000 }, () => {
  const webhookUrl = `${VOICE_URL}/v1/callbacks/twilio/inbound`;

  it("is answered by the agent that holds the number, and rejected where none does", async () => {
    const { key } = await newCustomer();
    const nobody = server.callIn({ from: THEIRS, to: "+14155550198", webhookUrl });
    await waitFor(async () => expect(nobody.twiml).toContain('<Reject reason="rejected"/>'));
    const agent = await app.call("/v1/agents", { key, json: { name: "Ada", call_template: TEMPLATE } });
    // Twilio's console has to be told where calls go.
    expect(
      await app.call(`/v1/agents/${agent.body.id}/phone-number`, { key, json: { phone_number: OURS } }),
    ).toMatchObject({ status: 200, body: { inbound_webhook_configured: false } });
    const call = server.callIn({ from: THEIRS, to: OURS, webhookUrl });
    await waitFor(async () => expect(call.twiml).toContain("<Connect>"));
    const stream = await call.stream();
    await waitFor(async () => expect(loudFrames(stream)).toBeGreaterThan(20));
    const { body } = await app.call<{ data: CallRecord[] }>("/v1/calls", { key });
    expect(body.data[0]).toMatchObject({ status: "in-progress", to_number: OURS });
    // Nobody tells: the number's "call status changes" isn't set.
    call.vanish("completed");
    stream.stop();
    expect(await ended(key, body.data[0]!.id)).toMatchObject({ status: "completed", carrier: "twilio" });
  });
});

it("a call that Twilio doesn't take is refused with its reason", async () => {
  const { key } = await newCustomer();
  const message = `Account not authorized to call ${THEIRS}`;
  server.misbehave("dial", { status: 400, body: JSON.stringify({ code: 21215, message, status: 400 }) });
  const { status, body } = await start(key, THEIRS);
  expect([status, body.error]).toEqual([502, "voice_carrier_blocked"]);
  expect(body.message).toContain("21215");
  expect(body.message).not.toContain("2125550");
});

describe("what Twilio's address takes", () => {
  const inbound = "/v1/callbacks/twilio/inbound";
  const form = {
    CallSid: `CA${"0".repeat(32)}`,
    AccountSid: TWILIO_ACCOUNT_SID,
    CallStatus: "ringing",
    From: THEIRS,
    To: "+14155550197",
  };

  it("is signed for this address or the public one, by the account's token", async () => {
    const statusOf = async (url: string, token?: string) => (await server.post(url, form, token)).status;
    expect(await statusOf(VOICE_URL + inbound)).toBe(200);
    expect(await statusOf(`${VOICE_URL}/public${inbound}`)).toBe(200);
    expect(await statusOf(VOICE_URL + inbound, "another")).toBe(401);
    const signed = await server.post(`${VOICE_URL}${inbound}?for=another`, form);
    const replay = await app.call(inbound, {
      body: String(new URLSearchParams(form)),
      headers: signed.headers,
    });
    expect(replay).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
  });

  it.each([
    ["a call that nobody knows", "calls/unknown", { ...form, CallStatus: "completed" }],
    [
      "a recording",
      "calls/unknown",
      { CallSid: form.CallSid, RecordingSid: "RE1", RecordingStatus: "completed" },
    ],
    ["a detected machine", "calls/unknown", { CallSid: form.CallSid, AnsweredBy: "machine_start" }],
    ["another account's call", "inbound", { ...form, AccountSid: `AC${"9".repeat(32)}` }],
    ["a call without a name", "inbound", { ...form, CallSid: "CA" }],
    ["nothing", "inbound", {}],
    ["the end of a call that nobody knows", "inbound", { ...form, CallStatus: "completed" }],
  ])("takes %s and leaves it", async (_, path, fields) => {
    const { status, text } = await server.post(
      `${VOICE_URL}/v1/callbacks/twilio/${path}`,
      fields as Record<string, string>,
    );
    expect(status).toBe(200);
    expect(text).toMatch(/<Response\/>$/);
  });

  it("lets no socket in that isn't expected", async () => {
    for (const path of [
      `/v1/callbacks/twilio/media/${"a".repeat(40)}`,
      "/v1/callbacks/twilio/inbound",
      "/v1/calls",
    ]) {
      const socket = new WebSocket(app.publicUrl.replace("http", "ws") + path);
      const status = await new Promise((resolve) => {
        socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
        socket.on("error", () => undefined);
      });
      expect([path, status]).toEqual([path, path === "/v1/calls" ? 401 : 404]);
    }
  });
});

it("a voice process without the API serves vendors' callbacks, and hangs up when it is stopped", async () => {
  const voice = await startTestService({
    testDatabase: app.testDatabase,
    environment: {
      ROLES: "voice",
      TWILIO_ACCOUNT_SID,
      TWILIO_AUTH_TOKEN,
      TWILIO_API_URL: server.url,
      VOICE_URL: "https://voice-2.example.com",
    },
  });
  other = voice;
  try {
    expect((await voice.call("/v1/calls")).status).toBe(404);
    expect((await voice.call("/v1/callbacks/twilio/inbound", { method: "POST" })).status).toBe(401);
    expect((await voice.call("/v1/callbacks/twilio/texts", { method: "POST" })).status).toBe(404);
    // The agent of before.
    const webhookUrl = "https://voice-2.example.com/v1/callbacks/twilio/inbound";
    const call = server.callIn({ from: THEIRS, to: OURS, webhookUrl });
    await waitFor(async () => expect(call.twiml).toContain("<Connect>"));
    const stream = await call.stream();
    await waitFor(async () => expect(loudFrames(stream)).toBeGreaterThan(5));
    await voice.close();
    expect([call.status, stream.isOpen()]).toEqual(["completed", false]);
  } finally {
    await voice.close();
  }
});
