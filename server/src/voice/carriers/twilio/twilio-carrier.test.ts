import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import twilio from "twilio";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FollowedCall,
  follow,
  openTwilio,
  type TwilioHarness,
} from "../../../testing/voice/twilio-harness.ts";
import {
  type Misbehaviour,
  TWILIO_ACCOUNT_SID,
  TWILIO_AUTH_TOKEN,
  type TwilioServerCall,
} from "../../../testing/voice/twilio-server.ts";
import type { TwilioStream } from "../../../testing/voice/twilio-stream.ts";
import { carrierContract } from "../carrier.contract.ts";
import type { InboundAnswer, InboundCall } from "../inbound.ts";

const FROM = "+12125550199";

/** What happens at the numbers of the contract's far side. */
async function byNumber(call: TwilioServerCall): Promise<void> {
  const last = call.to.slice(-4);
  await call.tell("initiated");
  if (last === "0101") return call.end("busy", { SipResponseCode: "486" });
  await call.tell("ringing");
  if (last === "0103") return call.end("failed", { SipResponseCode: "500" });
  // Who may ring for a second only is given up by ourselves.
  if (last === "0102") return call.form.get("Timeout") === "1" ? undefined : call.end("no-answer");
  const stream = await call.answered();
  stream.speak(last === "0100" ? 2_000 : 60_000, 8_000);
  if (last !== "0100") return;
  while (stream.unsaidMs() > 0) await pause(5);
  await call.end("completed");
}

carrierContract("Twilio", async () => {
  const { carrier, tick, close } = await openTwilio(byNumber);
  return {
    carrier,
    from: FROM,
    to: {
      talks: "+12125550100",
      stays: "+12125550110",
      busy: "+12125550101",
      noAnswer: "+12125550102",
      fails: "+12125550103",
      refused: "+0",
    },
    tick,
    close,
  };
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(...given: Parameters<typeof openTwilio>): Promise<TwilioHarness> {
  const harness = await openTwilio(...given);
  closers.push(harness.close);
  return harness;
}

/** A call that is up, and both ends of its audio. */
async function upCall() {
  let stream: TwilioStream | undefined;
  let there: TwilioServerCall | undefined;
  const harness = await setUp(async (call) => {
    there = call;
    await call.tell("ringing");
    stream = await call.answered();
  });
  const call = await harness.dial();
  await harness.until(() => call.media() !== undefined && stream !== undefined);
  return { ...harness, harness, call, leg: call.media()!, stream: stream!, there: there! };
}

const kinds = ({ server }: Pick<TwilioHarness, "server">) => server.received.map(({ kind }) => kind);
const isOver = (call: FollowedCall) => () => call.cause() !== undefined;
const refusal = (code: number, message = "No.", status = 400): Misbehaviour => ({
  status,
  body: JSON.stringify({ code, message, more_info: "", status }),
});

describe("a call over Twilio", () => {
  it("is asked for with everything that Twilio needs, and rings no longer than it may", async () => {
    const { server, carrier, dial } = await setUp();
    const { call } = await dial();
    expect(server.received).toMatchObject([{ kind: "dial", status: 201 }]);
    const { form } = server.received[0]!;
    expect(Object.fromEntries(form)).toMatchObject({
      From: FROM,
      To: "+12125550110",
      Timeout: "30",
      StatusCallbackMethod: "POST",
    });
    expect(form.get("StatusCallback")).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/v1\/callbacks\/twilio\/calls\/call-1$/,
    );
    expect(form.get("Twiml")).toMatch(
      /<Stream url="ws:\/\/[^"]+\/v1\/callbacks\/twilio\/media\/[0-9a-f]{24}"\/>/,
    );
    expect(call.sid).toBe(server.calls[0]!.sid);
    await carrier.dial({
      organizationId: "o",
      callId: "a/b?c",
      from: FROM,
      to: "+12125550110",
      ringTimeoutMs: 700_100,
    });
    expect(server.received[1]!.form.get("Timeout")).toBe("600");
    expect(server.received[1]!.form.get("StatusCallback")).toMatch(/\/calls\/a%2Fb%3Fc$/);
  });

  it("carries both voices, and digits beside them", async () => {
    const { until, tick, stream, leg } = await upCall();
    const digits: string[] = [];
    let loud = 0;
    leg.onDigit((digit) => digits.push(digit));
    stream.speak(1_000, 8_000);
    for (const digit of "19*#") stream.key(digit);
    for (let frame = 0; frame < 80; frame++) {
      leg.send(new Int16Array(160).fill(5_000));
      await tick();
      if (leg.receive()?.samples.some((sample) => Math.abs(sample) > 7_000)) loud++;
    }
    expect(loud).toBeGreaterThan(40);
    await until(() => stream.heard.filter((level) => level > 4_000).length > 70);
    expect(digits.join("")).toBe("19*#");
    expect(stream.mistakes).toEqual([]);
  });

  it.each([
    ["twice", ["initiated", "ringing", "ringing", "in-progress", "in-progress"], ["ringing", "answered"]],
    ["out of order", ["in-progress", "ringing", "initiated"], ["answered"]],
    ["without the answer", ["ringing"], ["ringing", "answered"]],
    ["not at all", [], ["answered"]],
    ["in words of tomorrow", ["ringing", "levitating"], ["ringing", "answered"]],
  ])("is answered once its audio flows, when callbacks come %s", async (_, statuses, expected) => {
    let there: TwilioServerCall | undefined;
    const { dial, until } = await setUp(async (call) => {
      there = call;
      for (const status of statuses) await call.tell(status);
      await call.stream();
    });
    const call = await dial();
    await until(() => call.media() !== undefined);
    await there!.end("completed");
    await there!.tell("completed");
    await until(isOver(call));
    expect(call.types()).toEqual([...expected, "ended"]);
    expect(call.cause()).toBe("remote_hangup");
  });

  it.each([
    ["busy", {}, "busy"],
    ["busy", { SipResponseCode: "603" }, "declined"],
    ["no-answer", { SipResponseCode: "487" }, "no_answer"],
    ["canceled", {}, "canceled"],
    ["failed", {}, "failed"],
    ["failed", { SipResponseCode: "404" }, "invalid_number"],
    ["failed", { SipResponseCode: "503" }, "congestion"],
    ["failed", { SipResponseCode: "608" }, "blocked"],
    ["failed", { SipResponseCode: "480" }, "no_answer"],
    ["failed", { ErrorCode: "13224" }, "invalid_number"],
    ["failed", { ErrorCode: "13227" }, "blocked"],
    ["failed", { SipResponseCode: "500", ErrorCode: "32014" }, "failed"],
    ["completed", {}, "remote_hangup"],
  ])("that ends as %s with %j is told as %s", async (status, fields, cause) => {
    const { dial, until } = await setUp((call) => call.end(status, fields as Record<string, string>));
    const call = await dial();
    await until(isOver(call));
    expect(call.cause()).toBe(cause);
  });

  it("that ends without a callback is found out before, at and after the answer", async () => {
    const before = await setUp(async (call) => call.vanish("busy"));
    const unanswered = await before.dial();
    await before.until(isOver(unanswered), 500);
    expect(unanswered.cause()).toBe("busy");

    const { call, there, until } = await upCall();
    there.vanish("completed");
    await until(isOver(call), 500);
    expect(call.cause()).toBe("remote_hangup");

    const late = await setUp(async (there) => {
      await there.tell("ringing");
      await there.tell("in-progress");
    });
    const silent = await late.dial();
    await late.until(isOver(silent), 500);
    expect(silent.cause()).toBe("failed");
    expect(late.logged.join()).toMatch(/audio.*VOICE_URL/);
    await late.until(() => late.server.calls[0]!.isOver());
  });

  it("that waits in Twilio's queue is waited for, and not for ever", async () => {
    const queued = await setUp(async (there) => {
      await pause(100);
      await there.tell("ringing");
    });
    const call = await queued.dial();
    await queued.until(() => call.types().includes("ringing"));

    const stuck = await setUp();
    const never = await stuck.dial();
    await stuck.until(isOver(never), 500);
    expect(never.cause()).toBe("failed");
    expect(kinds(stuck).filter((kind) => kind === "fetch").length).toBeGreaterThan(5);
    await stuck.until(() => stuck.server.calls[0]!.status === "canceled");
  });

  it("is hung up at Twilio, again where that fails, and told as ended at once", async () => {
    const { call, there, server, until } = await upCall();
    server.misbehave("update", { status: 500 }, "drop", refusal(20429, "Slow down", 429));
    await call.call.hangup();
    expect(call.cause()).toBe("local_hangup");
    await until(() => there.isOver());
    expect(there.status).toBe("completed");
  });

  it("that is answered while it is canceled is completed", async () => {
    const { dial, until, server } = await setUp(async (there) => {
      await there.tell("ringing");
    });
    const call = await dial();
    await until(() => call.types().includes("ringing"));
    void server.calls[0]!.tell("in-progress");
    expect(server.calls[0]!.status).toBe("in-progress");
    await call.call.hangup();
    expect(call.cause()).toBe("canceled");
    await until(() => server.calls[0]!.status === "completed");
    expect(server.received.flatMap(({ form }) => form.getAll("Status"))).toEqual(["canceled", "completed"]);
  });

  it.each([
    ["is cut", (stream: TwilioStream) => stream.drop()],
    ["sends too much", (stream: TwilioStream) => stream.raw("x".repeat(20_000))],
    [
      "sends nothing but garbage",
      (stream: TwilioStream) => {
        for (let at = 0; at < 200; at++) stream.raw("{");
      },
    ],
  ])("whose socket %s ends, and is hung up at Twilio", async (_, happens) => {
    const { call, stream, there, until, logged } = await upCall();
    happens(stream);
    await until(isOver(call));
    expect(call.cause()).toBe("failed");
    expect(logged.join()).toContain("audio broke");
    await until(() => there.isOver());
  });

  it("whose stream stops as it ends is over by the person's doing, told of or not", async () => {
    const { call, stream, there, until } = await upCall();
    there.vanish("completed");
    stream.stop();
    await until(isOver(call));
    expect(call.cause()).toBe("remote_hangup");
  });

  it.each([
    ["another call's", { callSid: `CA${"9".repeat(32)}` }],
    ["another account's", { accountSid: `AC${"9".repeat(32)}` }],
    ["another codec's", { mediaFormat: { encoding: "audio/l16", sampleRate: 16_000, channels: 1 } }],
  ])("isn't answered by %s stream", async (_, options) => {
    const { dial, until } = await setUp(async (there) => {
      await there.tell("ringing");
      await there.stream(options);
    });
    const call = await dial();
    await until(isOver(call));
    expect(call.types()).toEqual(["ringing", "ended"]);
    expect(call.cause()).toBe("failed");
  });

  it("lets one socket in, and leaves out what isn't of the protocol", async () => {
    const { there, stream, leg, until } = await upCall();
    await expect(there.stream()).rejects.toThrow("404");
    const refused = leg.stats().packetsRefused;
    for (const text of [
      "{",
      "null",
      "[]",
      '{"event":7}',
      '{"event":"media","streamSid":"MZother","media":{"payload":"AAAA"}}',
      '{"event":"media","media":{}}',
      '{"event":"dtmf","dtmf":{"digit":"12"}}',
      '{"event":"start","start":{"streamSid":"MZother"}}',
    ])
      stream.raw(text);
    stream.raw('{"event":"media","media":{"track":"outbound","payload":"AAAA"}}');
    stream.raw('{"event":"tomorrow"}');
    await until(() => leg.stats().packetsRefused === refused + 8);
    expect(stream.isOpen()).toBe(true);
  });

  it("of which a callback names another SID is left alone", async () => {
    const { call, there, server, until } = await upCall();
    const { url, form } = server.sent[0]!;
    await server.post(url, { ...form, CallSid: `CA${"9".repeat(32)}`, CallStatus: "completed" });
    await server.post(url, { ...form, CallStatus: "" });
    expect(call.types()).not.toContain("ended");
    await there.end("completed");
    await until(isOver(call));
  });
});

describe("a call that Twilio doesn't take", () => {
  it.each([
    [refusal(20003, "Authenticate", 401), "no_voice_carrier_available", "failed", "TWILIO_AUTH_TOKEN"],
    [refusal(20404, "Not found", 404), "no_voice_carrier_available", "failed", "account"],
    [refusal(10001, "Account is not active", 400), "no_voice_carrier_available", "failed", "isn't active"],
    [refusal(20003, "Permission denied", 403), "voice_carrier_blocked", "blocked", "doesn't allow"],
    [refusal(21215, "Geo permission"), "voice_carrier_blocked", "blocked", "21215 Geo permission"],
    [refusal(21216, "Blocked"), "voice_carrier_blocked", "blocked", "21216"],
    [refusal(21210, "From isn't yours"), "carrier_dial_failed", "failed", "caller ID"],
    [refusal(21217, "Not a number"), "carrier_dial_failed", "failed", "can't be called"],
    [refusal(99999, "Something +12125550110 new"), "carrier_dial_failed", "failed", "Something … new"],
    [{ status: 400, body: "<html>" }, "carrier_dial_failed", "failed", "400"],
    [{ status: 429, headers: { "retry-after": "60" } }, "concurrency_limit", "congestion", "429"],
  ] as const)("with %j is refused as %s", async (how, code, outcome, words) => {
    const { server, dial } = await setUp();
    server.misbehave("dial", how);
    const error = await dial().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "CarrierRefusal", code, outcome, mayBeTaken: false });
    expect((error as Error).message).toContain(words);
    expect((error as Error).message).not.toContain("2125550110");
    expect(kinds({ server })).toEqual(["dial"]);
  });

  it("for a moment is asked for again, twice at most", async () => {
    const { server, dial, clock } = await setUp();
    const moving = setInterval(() => clock.advance(100), 5);
    closers.push(async () => clearInterval(moving));
    server.misbehave("dial", { status: 429 }, { status: 429, headers: { "retry-after": "1" } });
    await dial();
    expect(kinds({ server })).toEqual(["dial", "dial", "dial"]);
    server.misbehave("dial", { status: 429 }, { status: 429 }, { status: 429 });
    await expect(dial()).rejects.toMatchObject({ code: "concurrency_limit" });
    expect(kinds({ server })).toHaveLength(6);
  });

  it.each([
    ["breaks the connection", "drop"],
    ["answers 500", { status: 500 }],
    ["answers what is no call", { status: 201, body: '{"sid":"SM1"}' }],
    ["says nothing", "silence"],
  ] as const)("as far as we know, because it %s, is given to nobody else", async (_, how) => {
    const { server, dial } = await setUp(undefined, { withinMs: 300 });
    server.misbehave("dial", how);
    await expect(dial()).rejects.toMatchObject({ code: "carrier_dial_failed", mayBeTaken: true });
    expect(kinds({ server })).toEqual(["dial"]);
  });

  it("because nobody is there, may be given to another", async () => {
    const nobody = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => nobody.once("listening", resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const { dial, clock } = await setUp(undefined, { apiUrl: `http://127.0.0.1:${port}` });
    const moving = setInterval(() => clock.advance(100), 5);
    closers.push(async () => clearInterval(moving));
    await expect(dial()).rejects.toMatchObject({
      code: "carrier_dial_failed",
      mayBeTaken: false,
      message: "Twilio can't be reached: ECONNREFUSED.",
    });
  });

  it("but took all the same is hung up when it tells of it", async () => {
    const { server, dial, until } = await setUp(undefined, { withinMs: 300 });
    server.misbehave("dial", "silence_after_work");
    await expect(dial()).rejects.toMatchObject({ mayBeTaken: true });
    void server.calls[0]!.tell("ringing");
    await until(() => server.calls[0]!.status === "canceled");
  });

  it("as far as we know, but whose callbacks come first, goes on", async () => {
    const { server, dial, until } = await setUp(async (there) => void (await there.tell("ringing")), {
      withinMs: 500,
    });
    server.misbehave("dial", "silence_after_work");
    const call = await dial();
    await until(() => call.types().includes("ringing"));
    expect(call.call.sid).toBe(server.calls[0]!.sid);
  });
});

describe("a call that comes in over Twilio", () => {
  const asked: InboundCall[] = [];
  async function answering(answer: InboundAnswer | "throws") {
    asked.length = 0;
    const harness = await setUp();
    const calls: FollowedCall[] = [];
    harness.carrier.answerWith(async (call) => {
      asked.push(call);
      if (answer === "throws") throw new Error("of the database");
      if (answer === "taken") calls.push(follow(await call.carrier.dial({} as never)));
      return answer;
    });
    return { ...harness, calls };
  }
  const callIn = ({ server, inboundUrl }: TwilioHarness, from = "+12125550110") =>
    server.callIn({ from, to: FROM, webhookUrl: inboundUrl });

  it("is answered where somebody takes it, and ends from either side", async () => {
    const harness = await answering("taken");
    const { until, calls } = harness;
    for (const side of ["theirs", "ours"]) {
      const there = callIn(harness);
      await until(() => there.twiml !== null);
      expect(there.twiml).toContain("<Connect><Stream ");
      const call = calls.at(-1)!;
      expect(call.call).toMatchObject({ sid: there.sid, isInbound: true });
      const stream = await there.stream();
      await until(() => call.media() !== undefined);
      if (side === "ours") await call.call.hangup();
      else {
        there.vanish("completed");
        stream.stop();
      }
      await until(isOver(call));
      expect([call.types(), call.cause()]).toEqual([
        ["answered", "ended"],
        side === "ours" ? "local_hangup" : "remote_hangup",
      ]);
      await until(() => there.status === "completed");
    }
    expect(asked[0]).toMatchObject({ organizationId: null, from: "+12125550110", to: FROM });
  });

  it.each([
    ["no_agent", "rejected"],
    ["busy", "busy"],
    ["full", "busy"],
    ["unavailable", "rejected"],
    ["throws", "rejected"],
  ] as const)("is rejected where the answer is %s", async (answer, reason) => {
    const harness = await answering(answer);
    const there = callIn(harness);
    await harness.until(() => there.twiml !== null);
    const own = new twilio.twiml.VoiceResponse();
    own.reject({ reason });
    expect(there.twiml).toBe(own.toString());
  });

  it("is taken once, however often Twilio asks, and its end is heard of by the same address", async () => {
    const harness = await answering("taken");
    const { server, until, calls } = harness;
    const there = callIn(harness);
    await until(() => there.twiml !== null);
    const again = await server.post(harness.inboundUrl, server.sent[0]!.form);
    expect(again.text).toBe(there.twiml);
    expect(asked).toHaveLength(1);
    await there.stream();
    await until(() => calls[0]!.media() !== undefined);
    await server.post(harness.inboundUrl, { ...server.sent[0]!.form, CallStatus: "completed" });
    await until(isOver(calls[0]!));
    expect(calls[0]!.cause()).toBe("remote_hangup");
  });

  it("whose audio never comes is given up", async () => {
    const harness = await answering("taken");
    const there = callIn(harness);
    await harness.until(() => there.twiml !== null);
    await harness.until(isOver(harness.calls[0]!), 500);
    expect(harness.calls[0]!.cause()).toBe("failed");
    await harness.until(() => there.isOver());
  });

  it.each(["anonymous", "+266696687", "sip:bob@example.com", ""])("names no caller for %j", async (from) => {
    const harness = await answering("no_agent");
    callIn(harness, from);
    await harness.until(() => asked.length > 0);
    expect(asked[0]!.from).toBeNull();
  });
});

it("the stand-in answers Twilio's own library as Twilio does", async () => {
  const { server, dial } = await setUp(async (there) => void (await there.tell("ringing")));
  const real = new twilio.RequestClient();
  const client = twilio(TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, {
    httpClient: {
      request: (options) =>
        real.request({ ...options, uri: options.uri.replace("https://api.twilio.com", server.url) }),
    } as InstanceType<typeof twilio.RequestClient>,
  });
  const { call } = await dial();
  expect(await client.calls(call.sid).fetch()).toMatchObject({ sid: call.sid, direction: "outbound-api" });
  expect(await client.calls(call.sid).update({ status: "canceled" })).toMatchObject({ status: "canceled" });
  await expect(client.calls(call.sid).update({ status: "completed" })).rejects.toMatchObject({ code: 21220 });
  const own = new twilio.twiml.VoiceResponse();
  own.connect().stream({ url: "wss://voice.example.com/v1/callbacks/twilio/media/token" });
  const asked = {
    from: FROM,
    to: "+12125550110",
    twiml: own,
    timeout: 30,
    statusCallback: "https://voice.example.com/v1/callbacks/twilio/calls/1",
    statusCallbackMethod: "POST",
    statusCallbackEvent: ["initiated", "ringing", "answered", "completed"],
  };
  expect(await client.calls.create(asked)).toMatchObject({ status: "queued", to: "+12125550110" });
  await expect(client.calls.create({ ...asked, to: "12" })).rejects.toMatchObject({
    code: 21211,
    status: 400,
  });
});
