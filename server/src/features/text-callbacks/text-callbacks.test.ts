import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { Writable } from "node:stream";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

const FROM = "+14155550100";
const TOKEN = "0123456789abcdef0123456789abcdef";
const PUBLIC_URL = "https://api.example.com";
const TWILIO = "/v1/callbacks/twilio/texts";
const TELNYX = "/v1/callbacks/telnyx/texts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const rawKey = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");

let app: TestService;
let plain: TestService;
let organizationId: string;
let to: string;
let log = "";
let lastNumber = 2_125_550_100;

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  app = await startTestService({
    environment: { TWILIO_AUTH_TOKEN: TOKEN, TELNYX_PUBLIC_KEY: rawKey, PUBLIC_URL },
    service: { logger: pino({ level: "info" }, stream) },
  });
  plain = await startTestService();
});
beforeEach(async () => {
  ({ organizationId } = await app.newOrganization());
  to = `+1${lastNumber++}`;
  await admin("/numbers", { phone_number: to });
});
afterAll(async () => {
  await app.close();
  await plain.close();
});

const admin = async (path: string, json?: unknown, of = organizationId) =>
  (
    await app.callPrivate<{ data: Record<string, unknown>[] }>(
      `/private/v1/organizations/${of}${path}`,
      json === undefined ? {} : { json },
    )
  ).body;
const dnc = async (of = organizationId) => (await admin("/dnc", undefined, of)).data;
const texts = async () => (await admin("/texts")).data;

function twilio(fields: Record<string, string>, given: { path?: string; signature?: string } = {}) {
  const path = given.path ?? TWILIO;
  const form = new URLSearchParams(fields);
  const signed =
    PUBLIC_URL +
    path +
    Object.keys(fields)
      .sort()
      .map((name) => name + fields[name])
      .join("");
  const signature = given.signature ?? createHmac("sha1", TOKEN).update(signed).digest("base64");
  return app.call<string>(path, {
    method: "POST",
    body: form.toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      "x-twilio-signature": signature,
    },
  });
}

function telnyx(event: unknown, given: { at?: number; signature?: string } = {}) {
  const body = typeof event === "string" ? event : JSON.stringify(event, null, 2);
  const timestamp = String(Math.floor((given.at ?? app.clock.now()) / 1000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
  return app.call(TELNYX, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "telnyx-timestamp": timestamp,
      "telnyx-signature-ed25519": given.signature ?? signature,
    },
  });
}
const received = (text: string, given: { from?: unknown; to?: unknown; event_type?: string } = {}) => ({
  data: {
    event_type: given.event_type ?? "message.received",
    payload: {
      from: { phone_number: given.from ?? FROM },
      to: given.to ?? [{ phone_number: to, status: "webhook_delivered" }],
      text,
    },
  },
});

describe("a text from Twilio", () => {
  it("with an opt-out puts its sender on the list, and is answered with nothing to say", async () => {
    const answer = await twilio({ From: FROM, To: to, Body: "Stop texting me, señor 🙂", MessageSid: "SM1" });
    expect(answer).toMatchObject({
      status: 200,
      body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
    });
    expect(answer.headers.get("content-type")).toBe("text/xml; charset=utf-8");
    const [text] = await texts();
    expect(text).toMatchObject({ from_number: FROM, to_number: to, opt_out: true });
    expect(await dnc()).toMatchObject([
      {
        phone_number: FROM,
        source: "text",
        reason: "Stop texting me, señor 🙂",
        added_by: `text:${text!.id}`,
      },
    ]);
  });

  it("without one is kept, and one that Twilio took for an opt-out counts", async () => {
    await twilio({ From: FROM, To: to, Body: "See you tomorrow + thanks" });
    expect(await texts()).toMatchObject([{ body: "See you tomorrow + thanks", opt_out: false }]);
    expect(await dnc()).toEqual([]);
    await twilio({ From: `whatsapp:${FROM}`, To: `whatsapp:${to}`, Body: "HALTUNG", OptOutType: "STOP" });
    expect(await dnc()).toMatchObject([{ phone_number: FROM, reason: "HALTUNG" }]);
  });

  it("is taken under the alias and with a query, as they were signed", async () => {
    const fields = { From: FROM, To: to, Body: "STOP" };
    expect((await twilio(fields, { path: `/public${TWILIO}?a=b%20c` })).status).toBe(200);
    expect(await texts()).toHaveLength(1);
  });

  it("for a number that several organizations have is each one's", async () => {
    const other = await app.newOrganization();
    await admin("/numbers", { phone_number: to }, other.organizationId);
    await twilio({ From: FROM, To: to, Body: "STOP" });
    expect(await dnc()).toHaveLength(1);
    expect(await dnc(other.organizationId)).toHaveLength(1);
  });

  it("that nobody's number is for, or without a sender, is dropped with a line in the log that names no number", async () => {
    log = "";
    expect((await twilio({ From: FROM, To: "+12125559999", Body: "STOP" })).status).toBe(200);
    expect((await twilio({ From: "ACMEBANK", To: to, Body: "STOP" })).status).toBe(200);
    expect((await twilio({ Hello: "there" })).status).toBe(200);
    expect(await texts()).toEqual([]);
    expect(log.match(/a text was dropped/g)).toHaveLength(3);
    expect(log).toMatch(/"request_id":"[0-9a-f-]{36}","vendor":"twilio"/);
    expect(log).not.toMatch(/2125559999|4155550100|ACMEBANK/);
  });

  it("with odd characters is stored as it can be", async () => {
    const answer = await twilio({ From: FROM, To: to, Body: `a\0b ${"x".repeat(12_000)}` });
    expect(answer.status).toBe(200);
    const [text] = await texts();
    expect(String(text!.body)).toHaveLength(10_000);
    expect(String(text!.body)).toMatch(/^ab x/);
  });

  it("that isn't signed is refused, and nothing is stored", async () => {
    const fields = { From: FROM, To: to, Body: "STOP" };
    const refused = { status: 401, body: { error: "unauthenticated", request_id: expect.any(String) } };
    for (const signature of ["", "x", createHmac("sha1", "wrong").update("x").digest("base64")])
      expect(await twilio(fields, { signature })).toMatchObject(refused);
    expect(await app.call(TWILIO, { method: "POST" })).toMatchObject(refused);
    const json = await app.call(TWILIO, { json: { From: FROM } });
    expect(json).toMatchObject(refused);
    expect(await texts()).toEqual([]);
  });
});

describe("a text from Telnyx", () => {
  it("with an opt-out puts its sender on the list", async () => {
    expect(await telnyx(received("Please remove me"))).toMatchObject({
      status: 200,
      body: { received: true },
    });
    expect(await dnc()).toMatchObject([{ phone_number: FROM, source: "text", reason: "Please remove me" }]);
  });

  it("about anything else is taken and left", async () => {
    log = "";
    for (const event of [
      received("STOP", { event_type: "message.finalized" }),
      received("STOP", { from: 7 }),
      received("STOP", { to: [{ phone_number: "+12125559999" }] }),
      received("STOP", { to: "x" }),
      {},
      [],
      "not json",
    ])
      expect(await telnyx(event)).toMatchObject({ status: 200 });
    expect(await texts()).toEqual([]);
    expect(log.match(/a text was dropped/g)).toHaveLength(3);
  });

  it("that isn't signed, or long ago, is refused", async () => {
    const refused = { status: 401, body: { error: "unauthenticated" } };
    expect(await telnyx(received("STOP"), { signature: "AAAA" })).toMatchObject(refused);
    expect(await telnyx(received("STOP"), { at: app.clock.now() - 301_000 })).toMatchObject(refused);
    expect(await app.call(TELNYX, { json: received("STOP") })).toMatchObject(refused);
    expect(await texts()).toEqual([]);
  });
});

it("texts from carriers that aren't set up go nowhere", async () => {
  for (const path of [TWILIO, TELNYX])
    expect(await plain.call(path, { json: {} })).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
});

it("an address that sends what isn't signed is slowed down", async () => {
  const statuses = new Set<number>();
  for (let time = 0; time < 70; time++) statuses.add((await plain.call(TELNYX, { json: {} })).status);
  expect([...statuses]).toEqual([404, 429]);
});
