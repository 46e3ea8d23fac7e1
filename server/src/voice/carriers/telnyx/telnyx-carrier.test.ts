import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FollowedCall,
  follow,
  openTelnyx,
  type TelnyxHarness,
} from "../../../testing/voice/telnyx-harness.ts";
import type { Misbehaviour, TelnyxServerCall } from "../../../testing/voice/telnyx-server.ts";
import type { TelnyxStream } from "../../../testing/voice/telnyx-stream.ts";
import { carrierContract } from "../carrier.contract.ts";
import type { InboundAnswer, InboundCall } from "../inbound.ts";

const FROM = "+12125550199";

/** What happens at the numbers of the contract's far side. */
async function byNumber(call: TelnyxServerCall): Promise<void> {
  const last = call.to.slice(-4);
  await call.initiated();
  if (last === "0101") return call.hangup("user_busy", "486");
  if (last === "0103") return call.hangup("unspecified", "500", "unknown");
  if (last === "0102") {
    // Who may ring for less than Telnyx takes is given up by ourselves.
    if (call.body.timeout_secs !== 5) await call.hangup("timeout", "487", "caller");
    return;
  }
  const stream = await call.answered();
  stream.speak(last === "0100" ? 2_000 : 60_000, 8_000);
  if (last !== "0100") return;
  while (stream.unsaidMs() > 0) await pause(5);
  await call.hangup();
}

const D13: Misbehaviour = {
  status: 403,
  body: JSON.stringify({
    errors: [
      {
        code: "D13",
        title: "Dialed number is not included in whitelisted countries",
        detail: "+12125550111",
      },
    ],
  }),
};

carrierContract("Telnyx", async () => {
  const { carrier, tick, close } = await openTelnyx(byNumber, {
    refuses: ({ to }) => (to === "+12125550111" ? D13 : null),
  });
  return {
    carrier,
    from: FROM,
    to: {
      talks: "+12125550100",
      stays: "+12125550110",
      busy: "+12125550101",
      noAnswer: "+12125550102",
      fails: "+12125550103",
      refused: "+12125550111",
    },
    tick,
    close,
  };
});

describe("a call over Telnyx", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function setUp(...given: Parameters<typeof openTelnyx>): Promise<TelnyxHarness> {
    const harness = await openTelnyx(...given);
    closers.push(harness.close);
    return harness;
  }
  const commands = ({ server }: TelnyxHarness) => server.received.map(({ command }) => command);
  const media = (call: FollowedCall) =>
    call.events.flatMap((event) => (event.type === "answered" ? [event.media] : []))[0];

  /** A call that is up, and both ends of its audio. */
  async function upCall(more: Parameters<typeof openTelnyx>[1] = {}) {
    let stream: TelnyxStream | undefined;
    let there: TelnyxServerCall | undefined;
    const harness = await setUp(async (call) => {
      there = call;
      await call.initiated();
      stream = await call.answered();
    }, more);
    const call = await harness.dial();
    await harness.until(() => media(call) !== undefined && stream !== undefined);
    return { ...harness, harness, call, leg: media(call)!, stream: stream!, there: there! };
  }

  it("is asked for with everything that Telnyx needs, and rings no longer than it may", async () => {
    const { server, dial, carrier } = await setUp();
    const { call } = await dial();
    expect(server.received).toMatchObject([{ command: "dial", status: 200 }]);
    const { body } = server.received[0]!;
    expect(body).toMatchObject({
      connection_id: "1494404757140276705",
      from: FROM,
      to: "+12125550110",
      timeout_secs: 30,
      webhook_url_method: "POST",
      stream_track: "inbound_track",
      stream_codec: "PCMU",
      stream_bidirectional_mode: "rtp",
      stream_bidirectional_codec: "PCMU",
    });
    expect(body.stream_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/v1\/callbacks\/telnyx\/media\/[0-9a-f]{24}$/);
    expect(body.webhook_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/callbacks\/telnyx\/calls$/);
    expect(call.sid).toBe(server.calls[0]!.id);
    const short = { organizationId: "o", callId: "c", from: FROM, to: "+12125550110", ringTimeoutMs: 900 };
    await carrier.dial(short);
    expect(server.received[1]!.body).toMatchObject({ timeout_secs: 5 });
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
    ["twice", ["initiated", "initiated", "answered", "answered"], ["ringing", "answered"]],
    ["with the answer first", ["answered", "initiated"], ["answered"]],
    ["with the end first", ["hangup", "initiated", "answered", "hangup"], ["ended"]],
    ["only as bridged", ["initiated", "bridged"], ["ringing", "answered"]],
  ])("is told of by events that come %s", async (_, names, types) => {
    const harness = await setUp(async (call) => {
      void call.stream().catch(() => undefined);
      for (const name of names) {
        const sent = await call.event(`call.${name}`, { direction: "outgoing", hangup_cause: "user_busy" });
        expect(sent.status).toBe(200);
      }
    });
    const call = await harness.dial();
    await harness.until(
      () => harness.server.sent.filter(({ status }) => status === 200).length === names.length,
    );
    await harness.until(() => call.types().length >= types.length);
    expect(call.types()).toEqual(types);
  });

  it("hears of machines, recordings and what it doesn't know, and goes on", async () => {
    const { there, call, tick } = await upCall();
    for (const type of [
      "call.machine.detection.ended",
      "call.machine.premium.detection.ended",
      "call.recording.saved",
      "call.dtmf.received",
      "streaming.stopped",
      "streaming.failed",
      "call.new.thing",
    ])
      expect((await there.event(type, { result: "machine", digit: "9" })).status).toBe(200);
    await tick();
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it("drops what it can't place", async () => {
    const { carrier, logged, call, server } = await upCall();
    const { body } = server.sent[0]!;
    for (const text of [
      "",
      "not json",
      "[]",
      "{}",
      '{"data":{"event_type":"call.hangup"}}',
      '{"data":{"event_type":7,"payload":{"call_control_id":7}}}',
      JSON.stringify({ data: { event_type: "call.hangup", payload: { call_control_id: "v3:nobody" } } }),
      // Another call's name with this one's state.
      body.replace(/v3:[\w-]+/, "v3:other").replace("call.initiated", "call.hangup"),
    ])
      carrier.takeEvent(text);
    expect(call.types()).toEqual(["ringing", "answered"]);
    expect(logged.filter((message) => /dropped/.test(message))).toHaveLength(7);
  });

  it("takes any JSON for an event", async () => {
    const { carrier, server, call } = await upCall();
    const { data } = JSON.parse(server.sent[0]!.body) as { data: { payload: object } };
    const names = ["data", "event_type", "payload", "call_control_id", "client_state", "direction"];
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...names), tie("value")),
      ),
    })).value;
    fc.assert(
      fc.property(anything, anything, (value, payload) => {
        carrier.takeEvent(JSON.stringify(value));
        carrier.takeEvent(JSON.stringify({ data: { ...data, event_type: value, payload } }));
        carrier.takeEvent(JSON.stringify({ data: { ...data, payload: { ...data.payload, from: value } } }));
      }),
    );
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it.each([
    [
      "401",
      { status: 401, body: '{"errors":[{"code":"10009","title":"Authentication failed"}]}' },
      "no_voice_carrier_available",
      /10009 Authentication failed/,
    ],
    ["403 for a country", D13, "voice_carrier_blocked", /D13 Dialed number is not included in whitelisted/],
    [
      "403 for channels",
      { status: 403, body: '{"errors":[{"code":"D2","title":"Channel limit exceeded"}]}' },
      "concurrency_limit",
      /D2/,
    ],
    [
      "404",
      { status: 404, body: '{"errors":[{"code":"10005","title":"Resource not found"}]}' },
      "no_voice_carrier_available",
      /10005/,
    ],
    [
      "422",
      { status: 422, body: '{"errors":[{"code":"10016","title":"Phone number +1 212 555-0111 is wrong"}]}' },
      "carrier_dial_failed",
      /10016 Phone number … is wrong/,
    ],
    ["429 for long", { status: 429, headers: { "retry-after": "60" } }, "concurrency_limit", /429/],
    ["500", { status: 500, body: "<html>Oops</html>" }, "carrier_dial_failed", /^Telnyx answered 500\.$/],
    ["503", { status: 503, body: "" }, "carrier_dial_failed", /503/],
    ["garbage", { status: 200, body: "{]" }, "carrier_dial_failed", /understood/],
    ["no name for the call", { status: 200, body: '{"data":{}}' }, "carrier_dial_failed", /understood/],
    [
      "an endless answer",
      { status: 200, body: `"${"x".repeat(200_000)}"` },
      "carrier_dial_failed",
      /understood/,
    ],
    ["a broken connection", "drop", "carrier_dial_failed", /broke/],
    ["silence", "silence", "carrier_dial_failed", /in time/],
  ] as [string, Misbehaviour, string, RegExp][])(
    "that is answered by %s isn't taken, and asked for once",
    async (_, how, code, message) => {
      const harness = await setUp(undefined, { withinMs: 300 });
      harness.server.misbehave("dial", how);
      const refused = await harness.dial().catch((error: unknown) => error);
      expect(refused).toMatchObject({
        name: "CarrierRefusal",
        code,
        message: expect.stringMatching(message),
      });
      expect(String((refused as Error).message)).not.toMatch(/\d{6}/);
      expect(commands(harness)).toEqual(["dial"]);
    },
  );

  it("is asked for again, as the same command, while Telnyx is too busy for a moment", async () => {
    const harness = await setUp();
    const busy = { status: 429, headers: { "retry-after": "1" } };
    harness.server.misbehave("dial", busy, busy);
    const dialed = harness.dial();
    await harness.until(() => harness.server.received.length === 3);
    await dialed;
    expect(new Set(harness.server.received.map(({ status }) => status))).toEqual(new Set([429, 200]));
    harness.server.misbehave("dial", busy, busy, busy);
    const refused = expect(harness.dial()).rejects.toMatchObject({ code: "concurrency_limit" });
    await harness.until(() => harness.server.received.length === 6);
    await refused;
  });

  it("can't be placed where nobody listens", async () => {
    const { dial, until } = await setUp(undefined, { apiUrl: "http://127.0.0.1:1" });
    let refused: unknown;
    dial().catch((error: unknown) => {
      refused = error;
    });
    await until(() => refused !== undefined);
    expect(refused).toMatchObject({
      code: "carrier_dial_failed",
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it("that Telnyx took without an answer is hung up as soon as it is heard of", async () => {
    let letGo = () => {};
    const told = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const harness = await setUp(async (call) => {
      await told;
      await call.initiated();
    });
    harness.server.misbehave("dial", "drop_after_work");
    await expect(harness.dial()).rejects.toMatchObject({ code: "carrier_dial_failed" });
    letGo();
    await harness.until(() => harness.server.calls[0]!.isOver());
    expect(commands(harness)).toEqual(["dial", "hangup"]);
  });

  it("whose events are quicker than the answer is taken", async () => {
    const harness = await setUp(byNumber, { withinMs: 300 });
    harness.server.misbehave("dial", "silence_after_work");
    const call = await harness.dial();
    await harness.until(() => call.types().includes("answered"));
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it("of which nothing is ever told is given up, and the log says what may be wrong", async () => {
    const harness = await setUp();
    const call = await harness.dial();
    harness.clock.advance(40_000);
    expect(call.cause()).toBe("failed");
    expect(harness.logged.join()).toMatch(/VOICE_URL/);
    await harness.until(() => harness.server.calls[0]!.isOver());
  });

  it.each(["no media socket comes", "the media socket is told to have failed"])(
    "fails when it is answered and %s",
    async (how) => {
      const harness = await setUp(async (call) => {
        await call.event("call.answered");
        if (how.includes("told"))
          await call.event("streaming.failed", { failure_reason: "connection_failed" });
      });
      const call = await harness.dial();
      await harness.until(() => harness.server.sent.at(-1)?.status === 200);
      await harness.pass(() => call.cause() !== undefined, how.includes("told") ? 2_000 : 12_000);
      expect(call.types()).toEqual(["ended"]);
      expect(call.cause()).toBe("failed");
      await harness.until(() => harness.server.calls[0]!.isOver());
    },
  );

  it("is hung up when its media socket breaks, and has failed", async () => {
    const { harness, stream, call, there, leg } = await upCall();
    stream.drop();
    await harness.until(() => call.cause() !== undefined, 6_000);
    expect(call.cause()).toBe("failed");
    expect(leg.receive()).toBeNull();
    await harness.until(() => there.isOver());
    expect(commands(harness)).toEqual(["dial", "status", "hangup"]);
  });

  it("ends as the webhook says when the media socket ends just before", async () => {
    const { harness, stream, call, there } = await upCall();
    stream.stop();
    await harness.until(() => !stream.isOpen());
    expect(call.cause()).toBeUndefined();
    await there.hangup();
    await harness.until(() => call.cause() !== undefined, 2_000);
    expect(call.cause()).toBe("remote_hangup");
  });

  it("whose end nobody tells of is found out by its media socket, or by looking", async () => {
    for (const closesStream of [true, false]) {
      const { harness, stream, call, there } = await upCall();
      there.vanish();
      if (closesStream) stream.stop();
      else harness.clock.advance(60_000);
      await harness.until(() => call.cause() !== undefined, 6_000);
      expect(call.cause()).toBe("remote_hangup");
      expect(commands(harness)).toEqual(["dial", "status"]);
    }
  });

  it("is looked up now and then, whatever is answered", async () => {
    const { harness, call, clock } = await upCall({ withinMs: 300 });
    harness.server.misbehave("status", { status: 500 }, "drop", { status: 200, body: "{]" }, { status: 429 });
    for (let minute = 1; minute <= 4; minute++) {
      clock.advance(60_000);
      await harness.until(() => commands(harness).filter((command) => command === "status").length >= minute);
    }
    expect(call.cause()).toBeUndefined();
    harness.server.misbehave("status", {
      status: 404,
      body: '{"errors":[{"code":"10005","title":"Resource not found"}]}',
    });
    clock.advance(60_000);
    await harness.until(() => call.cause() === "remote_hangup");
  });

  it("that can't be hung up at once is tried again, and over for us all the same", async () => {
    const { harness, call, there } = await upCall({ withinMs: 300 });
    harness.server.misbehave("hangup", { status: 500 }, "drop", "silence");
    await call.call.hangup();
    expect(call.cause()).toBe("local_hangup");
    await harness.pass(() => there.isOver(), 600_000);
    expect(commands(harness).filter((command) => command === "hangup")).toHaveLength(4);
  });

  it("that can't be hung up at all is told in the log", async () => {
    const { harness, call } = await upCall();
    harness.server.misbehave("hangup", ...Array.from({ length: 5 }, () => ({ status: 500 })));
    await call.call.hangup();
    await harness.pass(() => harness.logged.some((message) => /couldn't be hung up/.test(message)), 60_000);
  });

  it("lets one media socket in, and no other", async () => {
    const { there, call, tick } = await upCall();
    await expect(there.stream()).rejects.toThrow("refused with 404");
    await tick();
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it.each([
    ["garbage", (stream: TelnyxStream) => stream.raw("{]")],
    ["no object", (stream: TelnyxStream) => stream.raw("7")],
    ["media without a payload", (stream: TelnyxStream) => stream.raw('{"event":"media","media":{}}')],
    ["a digit that is none", (stream: TelnyxStream) => stream.key("lots")],
    ["a second start", (stream: TelnyxStream) => stream.raw('{"event":"start","start":{}}')],
  ])("hears on after %s on its media socket", async (_, send) => {
    const { harness, stream, leg } = await upCall();
    send(stream);
    await harness.until(() => leg.stats().packetsRefused === 1);
    const { packetsReceived } = leg.stats();
    await harness.until(() => leg.stats().packetsReceived > packetsReceived + 5);
  });

  it("isn't troubled by an error that Telnyx reports, or by an event that is new", async () => {
    const { harness, stream, leg, logged } = await upCall();
    stream.raw('{"event":"error","payload":{"code":100003,"title":"malformed_frame"}}');
    stream.raw('{"event":"new"}');
    const { packetsReceived } = leg.stats();
    await harness.until(() => leg.stats().packetsReceived > packetsReceived + 5);
    expect(leg.stats().packetsRefused).toBe(0);
    expect(logged.join()).toMatch(/problem with a call's audio/);
  });

  it("ends when an oversize frame comes", async () => {
    const { harness, stream, call } = await upCall();
    stream.raw(JSON.stringify({ event: "media", media: { payload: "/".repeat(100_000) } }));
    await harness.until(() => call.cause() !== undefined, 6_000);
    expect(call.cause()).toBe("failed");
  });

  it("doesn't begin with what was heard while it rang", async () => {
    let pickUp = () => {};
    const harness = await setUp(async (call) => {
      const stream = await call.stream();
      stream.speak(60_000, 8_000);
      pickUp = () => void call.event("call.answered");
    });
    const call = await harness.dial();
    for (let frame = 0; frame < 60; frame++) await harness.tick();
    pickUp();
    await harness.until(() => media(call) !== undefined);
    expect(media(call)!.stats().delayMs).toBeLessThan(200);
  });

  it.each([
    ["A-law, as it is", { encoding: "PCMA" }, ["ringing", "answered"]],
    ["what it can't understand, and fails", { encoding: "G722" }, ["ringing", "ended"]],
    ["another call's stream, and fails", { call_control_id: "v3:other" }, ["ringing", "ended"]],
    ["another rate, and fails", { encoding: "PCMU", sampleRate: 16_000 }, ["ringing", "ended"]],
  ])("takes %s", async (_, format, types) => {
    const harness = await setUp(async (call) => {
      await call.initiated();
      await call.event("call.answered");
      (await call.stream(format)).speak(5_000, 8_000);
    });
    const call = await harness.dial();
    await harness.until(() => call.types().length === 2, 20_000);
    expect(call.types()).toEqual(types);
    const leg = media(call);
    if (!leg) return;
    await harness.until(() =>
      (leg.receive()?.samples ?? []).some((sample) => sample > 7_000 && sample < 9_000),
    );
  });

  describe("that comes in", () => {
    async function callIn(answer: InboundAnswer | Error, from = "+14155550123") {
      const harness = await setUp();
      const offers: InboundCall[] = [];
      let taken: FollowedCall | undefined;
      harness.carrier.answerWith(async (call) => {
        offers.push(call);
        if (answer instanceof Error) throw answer;
        const dial = { organizationId: "o", callId: "c", from: "", to: "", ringTimeoutMs: 1 };
        if (answer === "taken") taken = follow(await call.carrier.dial(dial));
        return answer;
      });
      const there = harness.server.callIn({ from, to: "+12125550100", webhookUrl: harness.webhookUrl });
      await harness.until(() => offers.length === 1);
      return { harness, offers, there, taken: () => taken };
    }

    it("is answered once somebody listens, with its audio", async () => {
      const { harness, offers, there, taken } = await callIn("taken");
      expect(offers).toMatchObject([
        { organizationId: null, from: "+14155550123", to: "+12125550100", carrier: { name: "telnyx" } },
      ]);
      await harness.until(() => taken()?.types().length === 1);
      expect(taken()!.types()).toEqual(["answered"]);
      expect(taken()!.call).toMatchObject({ isInbound: true, sid: there.id });
      expect(harness.server.received).toMatchObject([
        { command: "answer", status: 200, body: { stream_bidirectional_mode: "rtp", stream_codec: "PCMU" } },
      ]);
      await there.hangup("normal_clearing", "unspecified", "caller");
      await harness.until(() => taken()!.cause() === "remote_hangup");
    });

    it.each([
      ["busy", "USER_BUSY"],
      ["no_agent", "CALL_REJECTED"],
      ["unavailable", "CALL_REJECTED"],
      [new Error("broken"), "CALL_REJECTED"],
    ] as const)("is rejected when the answer is %s", async (answer, cause) => {
      const { harness, there } = await callIn(answer);
      await harness.until(() => there.isOver());
      expect(harness.server.received).toMatchObject([{ command: "reject", body: { cause }, status: 200 }]);
    });

    it.each([
      ["anonymous", null],
      ["Restricted", null],
      ["sip:+14155550123@sip.example.com", "+14155550123"],
      ["sip:alice@example.com", null],
    ])("from %s is from %s", async (from, expected) => {
      const { offers } = await callIn("no_agent", from);
      expect(offers[0]!.from).toBe(expected);
    });

    it("is offered once, however often it is told of, also when it is over", async () => {
      const { harness, offers, there } = await callIn("busy");
      await harness.until(() => there.isOver());
      for (let time = 0; time < 3; time++) await there.event("call.initiated", { direction: "incoming" });
      expect(offers).toHaveLength(1);
    });

    it("and is given up by the caller before it is answered is canceled", async () => {
      const harness = await setUp();
      let taken: FollowedCall | undefined;
      const there: TelnyxServerCall[] = [];
      harness.carrier.answerWith(async (call) => {
        await harness.until(() => there.length === 1);
        there[0]!.vanish();
        const dial = { organizationId: "o", callId: "c", from: "", to: "", ringTimeoutMs: 1 };
        taken = follow(await call.carrier.dial(dial));
        return "taken";
      });
      there.push(harness.server.callIn({ from: "+14155550123", to: FROM, webhookUrl: harness.webhookUrl }));
      await harness.until(() => taken?.cause() !== undefined);
      expect(taken!.cause()).toBe("canceled");
      expect(harness.server.received).toMatchObject([{ command: "answer", status: 422 }]);
    });

    it("is ended by us: rejected while it rings, hung up once it was answered", async () => {
      const { harness, there, taken } = await callIn("taken");
      await harness.until(() => taken()?.types().length === 1);
      await taken()!.call.hangup();
      expect(taken()!.cause()).toBe("local_hangup");
      await harness.until(() => there.isOver());
      expect(commands(harness)).toEqual(["answer", "hangup"]);

      const other = await setUp();
      other.carrier.answerWith(async ({ carrier }) => {
        const dial = { organizationId: "o", callId: "c", from: "", to: "", ringTimeoutMs: 1 };
        // Its engine couldn't be opened: nobody listens.
        await (await carrier.dial(dial)).hangup();
        return "unavailable";
      });
      const ringing = other.server.callIn({ from: FROM, to: FROM, webhookUrl: other.webhookUrl });
      await other.until(() => ringing.isOver());
      expect(other.server.received).toMatchObject([
        { command: "reject", body: { cause: "CALL_REJECTED" }, status: 200 },
      ]);
    });

    it("is rejected before anybody can answer", async () => {
      const harness = await setUp();
      const there = harness.server.callIn({ from: FROM, to: FROM, webhookUrl: harness.webhookUrl });
      await harness.until(() => there.isOver());
      expect(commands(harness)).toEqual(["reject"]);
    });
  });
});
