import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../../testing/manual-clock.ts";
import { type FakeTrunk, fakeTrunk, type TrunkCall } from "../../../testing/voice/fake-trunk.ts";
import { memoryTrunkLimits } from "../../../testing/voice/memory-trunk-limits.ts";
import { createRtpPorts } from "../../media/rtp-ports.ts";
import { carrierContract } from "../carrier.contract.ts";
import type { Carrier, CarrierEvent } from "../carrier.ts";
import { ANSWER_CODES } from "./answer-codes.ts";
import { createSipCarrier } from "./create-sip-carrier.ts";
import { header } from "./message.ts";
import { resolveTarget } from "./resolve-target.ts";
import type { Trunk } from "./trunk.ts";

const ports = createRtpPorts({ from: 42_000, to: 42_999 });
const FROM = "+12125550199";
const newToken = () => randomBytes(8).toString("hex");
const silentLogger = { error() {}, warn() {}, info() {} };

function trunkAt(port: number, more: Partial<Trunk> = {}): Trunk {
  return {
    id: `trunk-${port}`,
    organizationId: null,
    name: `trunk at ${port}`,
    host: "127.0.0.1",
    port,
    protocol: "udp",
    credentials: null,
    channels: null,
    callsPerSecond: null,
    register: false,
    ...more,
  };
}

function carrierOver(clock: ManualClock, trunks: Trunk[]) {
  return createSipCarrier({
    clock,
    newToken,
    ports,
    source: { trunksOf: async () => trunks, allTrunks: async () => trunks },
    limits: memoryTrunkLimits(clock),
    resolve: resolveTarget,
    bind: { address: "127.0.0.1", port: 0 },
    advertisedAddress: null,
    logger: silentLogger,
    now: clock.now,
  });
}

/** Lets datagrams arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** What happens at the numbers of the contract's far side. */
function byNumber(clock: ManualClock) {
  return (call: TrunkCall) => {
    const last = /5550(1\d\d)@/.exec(call.invite.uri)?.[1];
    call.respond(100, "Trying");
    if (last === "101") return call.respond(486, "Busy Here");
    if (last === "103") return call.respond(500, "Server Internal Error");
    if (last === "111") return call.respond(503, "Service Unavailable");
    const later = (ms: number, what: () => void) => clock.schedule(clock.now() + ms, what);
    later(100, () => call.respond(180, "Ringing"));
    if (last === "102") return;
    later(400, () => call.respond(200, "OK"));
    if (last === "100") later(2_500, () => void call.bye());
  };
}

for (const protocol of ["udp", "tcp"] as const) {
  carrierContract(`a SIP trunk over ${protocol}`, async () => {
    const clock = manualClock();
    const trunk = await fakeTrunk({ clock, ports, onInvite: byNumber(clock) });
    const carrier = carrierOver(clock, [trunkAt(trunk.port, { protocol })]);
    return {
      carrier,
      from: FROM,
      to: {
        talks: "+12125550100",
        stays: "+12125550110",
        busy: "+12125550101",
        noAnswer: "+12125550102",
        fails: "+12125550103",
      },
      async tick() {
        await settle();
        trunk.tick();
        clock.advance(20);
      },
      async close() {
        await carrier.close();
        await trunk.close();
      },
    };
  });
}

describe("a SIP trunk", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function setUp(
    onInvites: ((call: TrunkCall) => void)[],
    more: (index: number) => Partial<Trunk> = () => ({}),
    onCancel?: (call: TrunkCall) => void,
  ) {
    const clock = manualClock();
    const trunks: FakeTrunk[] = [];
    for (const onInvite of onInvites)
      trunks.push(await fakeTrunk({ clock, ports, onInvite, ...(onCancel ? { onCancel } : {}) }));
    const carrier = carrierOver(
      clock,
      trunks.map(({ port }, index) => trunkAt(port, more(index))),
    );
    closers.push(async () => {
      await carrier.close();
      for (const trunk of trunks) await trunk.close();
    });
    const tick = async () => {
      await settle();
      for (const trunk of trunks) trunk.tick();
      clock.advance(20);
    };
    const run = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 20) await tick();
    };
    const until = async (condition: () => boolean, withinMs = 60_000) => {
      for (let passed = 0; !condition() && passed < withinMs; passed += 20) await tick();
      expect(condition()).toBe(true);
    };
    return { clock, trunks, carrier, run, until };
  }

  let lastId = 0;
  async function dial(carrier: Carrier, to = "+12125550110") {
    const call = await carrier.dial({
      organizationId: "o",
      callId: `call-${++lastId}`,
      from: FROM,
      to,
      ringTimeoutMs: 30_000,
    });
    const events: CarrierEvent[] = [];
    call.onEvent((event) => events.push(event));
    return {
      events,
      hangup: () => call.hangup(),
      types: () => events.map(({ type }) => type),
      cause: () => events.flatMap((event) => (event.type === "ended" ? [event.cause] : []))[0],
      media: () => events.flatMap((event) => (event.type === "answered" ? [event.media] : []))[0],
    };
  }

  const answers = (call: TrunkCall) => {
    call.respond(180);
    call.respond(200);
  };
  const says =
    (status: number, headers: { name: string; value: string }[] = []) =>
    (call: TrunkCall) =>
      call.respond(status, "Said", headers);

  it.each([
    ...Object.entries(ANSWER_CODES).map(([status, cause]) => [Number(status), cause] as const),
    [400, "failed"],
    [500, "failed"],
    [606, "failed"],
    [302, "failed"],
    [401, "failed"],
  ] as const)("that answers %i ends the call as %s, and gets its ACK", async (status, cause) => {
    const { trunks, carrier, until } = await setUp([says(status)]);
    const call = await dial(carrier);
    await until(() => call.cause() !== undefined);
    expect(call.cause()).toBe(cause);
    expect(call.types()).toEqual(["ended"]);
    await until(() => trunks[0]!.methods().includes("ACK"));
  });

  it("sends each side's BYE, and hears both sides", async () => {
    const { trunks, carrier, run, until } = await setUp([answers]);
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    const media = call.media()!;
    let heard = 0;
    for (let frame = 0; frame < 50; frame++) {
      media.send(new Int16Array(160).fill(5_000));
      await run(20);
      if (media.receive()?.samples.some((sample) => Math.abs(sample) > 1_000)) heard++;
    }
    expect(heard).toBeGreaterThan(30);
    expect(trunks[0]!.calls[0]!.loudFrames()).toBeGreaterThan(30);
    await trunks[0]!.calls[0]!.bye();
    expect(call.cause()).toBe("remote_hangup");

    const other = await dial(carrier);
    await until(() => other.media() !== undefined);
    await other.hangup();
    await until(() => trunks[0]!.methods().at(-1) === "BYE");
    expect(other.cause()).toBe("local_hangup");
  });

  it("gets INVITE again by the timers while it is silent, and the call fails after 32 s", async () => {
    const { clock, trunks, carrier, until } = await setUp([() => undefined]);
    const call = await dial(carrier);
    const startedAt = clock.now();
    await until(() => call.cause() !== undefined);
    expect(clock.now() - startedAt).toBeLessThanOrEqual(32_100);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(32_000);
    expect(call.cause()).toBe("failed");
    // At 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s.
    expect(trunks[0]!.datagrams()).toBe(7);
    expect(trunks[0]!.calls).toHaveLength(1);
  });

  it("that is silent for 8 s is passed over for the next; its late answer is ended", async () => {
    const { clock, trunks, carrier, run, until } = await setUp([() => undefined, answers]);
    const call = await dial(carrier);
    const startedAt = clock.now();
    await until(() => call.media() !== undefined);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(8_000);
    expect(clock.now() - startedAt).toBeLessThan(8_300);
    trunks[0]!.calls[0]!.respond(200);
    await run(200);
    expect(trunks[0]!.methods()).toEqual(["INVITE", "ACK", "BYE"]);
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it.each([408, 500, 503, 504])("that answers %i is passed over at once", async (status) => {
    const { trunks, carrier, until } = await setUp([says(status), answers]);
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    expect(trunks.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  it.each([403, 404, 480, 486, 600, 603])("that answers %i has the last word", async (status) => {
    const { trunks, carrier, until } = await setUp([says(status), answers]);
    const call = await dial(carrier);
    await until(() => call.cause() !== undefined);
    expect(trunks.map(({ calls }) => calls.length)).toEqual([1, 0]);
  });

  it("that asks to be left alone is, for as long", async () => {
    const { clock, trunks, carrier, run, until } = await setUp([
      says(503, [{ name: "retry-after", value: "60 (busy)" }]),
      says(486),
    ]);
    for (const expected of [
      [1, 1],
      [1, 2],
    ]) {
      const call = await dial(carrier);
      await until(() => call.cause() === "busy");
      expect(trunks.map(({ calls }) => calls.length)).toEqual(expected);
    }
    clock.advance(60_000);
    const call = await dial(carrier);
    await run(100);
    expect(call.cause()).toBe("busy");
    expect(trunks[0]!.calls).toHaveLength(2);
  });

  it("whose channels are full takes no more calls; a call that ends makes room", async () => {
    const { carrier, until } = await setUp([answers], () => ({ channels: 1 }));
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    await expect(dial(carrier)).rejects.toMatchObject({ code: "concurrency_limit" });
    expect(await carrier.freeLines?.("any")).toBe(0);
    await call.hangup();
    const next = await dial(carrier);
    await until(() => next.media() !== undefined);
  });

  it("has calls wait their turn", async () => {
    const { clock, trunks, carrier, until } = await setUp([answers], () => ({ callsPerSecond: 2 }));
    const startedAt = clock.now();
    const calls = Promise.all([1, 2, 3, 4, 5].map(() => dial(carrier)));
    await until(() => trunks[0]!.calls.length === 5);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(2_000);
    expect(clock.now() - startedAt).toBeLessThan(2_200);
    await calls;
  });

  it.each(["MD5", "SHA-256"])("is given what it asks for by digest with %s", async (algorithm) => {
    const credentials = { username: "alice", password: "secret" };
    const { trunks, carrier, until } = await setUp(
      [
        (call) => {
          const given = header(call.invite, "authorization");
          if (given) return answers(call);
          const value = `Digest realm="trunk", nonce="abc", qop="auth,auth-int", algorithm=${algorithm}`;
          call.respond(401, "Unauthorized", [{ name: "www-authenticate", value }]);
        },
      ],
      () => ({ credentials }),
    );
    const call = await dial(carrier);
    // The fake has one call for each Call-ID: it is asked again in the same.
    await until(() => trunks[0]!.methods().filter((method) => method === "INVITE").length === 2);
    await until(() => call.media() !== undefined);
    const sent = trunks[0]!.received.filter(({ method }) => method === "INVITE").at(-1)!;
    expect(header(sent, "authorization")).toMatch(/^Digest username="alice", realm="trunk", nonce="abc"/);
    expect(header(sent, "authorization")).toContain(`algorithm=${algorithm}`);
    expect(header(sent, "cseq")).toBe("2 INVITE");
  });

  it("is given both passwords where a proxy asks, and the server behind it too; a nonce may grow old meanwhile (RFC 3261, 22.3)", async () => {
    const credentials = { username: "alice", password: "secret" };
    const challenge = (name: string, value: string) => [{ name, value: `Digest qop="auth", ${value}` }];
    const { trunks, carrier, until } = await setUp(
      [
        (call) => {
          const proxy = header(call.invite, "proxy-authorization");
          const server = header(call.invite, "authorization");
          if (!proxy)
            return call.respond(407, "Said", challenge("proxy-authenticate", 'realm="proxy", nonce="p"'));
          if (!server)
            return call.respond(401, "Said", challenge("www-authenticate", 'realm="server", nonce="s"'));
          if (!server.includes('nonce="t"'))
            return call.respond(
              401,
              "Said",
              challenge("www-authenticate", 'realm="server", nonce="t", stale=TRUE'),
            );
          answers(call);
        },
      ],
      () => ({ credentials }),
    );
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    const sent = trunks[0]!.received.filter(({ method }) => method === "INVITE");
    expect(sent.map((request) => header(request, "cseq"))).toEqual([
      "1 INVITE",
      "2 INVITE",
      "3 INVITE",
      "4 INVITE",
    ]);
    // The proxy sees its nonce for the third time, and each use is another (RFC 7616, 3.4).
    expect(header(sent[3]!, "proxy-authorization")).toContain('nonce="p"');
    expect(header(sent[3]!, "proxy-authorization")).toContain("nc=00000003");
    expect(header(sent[3]!, "authorization")).toContain("nc=00000001");
  });

  it("whose answers fork has one of them, and a BYE for the other", async () => {
    const { trunks, carrier, run, until } = await setUp([answers]);
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    const { invite } = trunks[0]!.calls[0]!;
    const forked = {
      kind: "response" as const,
      status: 200,
      reason: "OK",
      headers: [
        ...invite.headers.filter(({ name }) => ["via", "from", "call-id", "cseq"].includes(name)),
        { name: "to", value: `${header(invite, "to")};tag=another` },
        { name: "contact", value: `<sip:other@127.0.0.1:${trunks[0]!.port}>` },
      ],
      body: Buffer.from(trunks[0]!.calls[0]!.media.offer()),
    };
    const contact = /@127\.0\.0\.1:(\d+)/.exec(header(invite, "contact")!)!;
    const flow = await trunks[0]!.endpoint.flowTo({
      protocol: "udp",
      address: "127.0.0.1",
      port: Number(contact[1]),
      serverName: "",
    });
    await flow.send(forked);
    await run(100);
    expect(trunks[0]!.methods()).toEqual(["INVITE", "ACK", "ACK", "BYE"]);
    const bye = trunks[0]!.received.at(-1)!;
    expect(header(bye, "to")).toContain("tag=another");
    expect(call.types()).toEqual(["ringing", "answered"]);
  });

  it("may put the call on hold and take it back, ask for signs of life, and tell nonsense", async () => {
    const { trunks, carrier, run, until } = await setUp([answers]);
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    await run(200);
    const far = trunks[0]!.calls[0]!;
    const offer = far.media.offer();
    const hold = offer.replace("a=sendrecv", "a=inactive");
    expect(await far.request("INVITE", hold)).toBe(200);
    await run(40_000);
    // Who is on hold isn't gone.
    expect(call.media()!.receive()).not.toBeNull();
    expect(call.cause()).toBeUndefined();
    expect(await far.request("INVITE", offer)).toBe(200);
    expect(await far.request("UPDATE")).toBe(200);
    expect(await far.request("OPTIONS")).toBe(200);
    expect(await far.request("INVITE", offer.replace("RTP/AVP 0 8 101", "RTP/AVP 9"))).toBe(488);
    expect(await far.request("PUBLISH")).toBe(405);
    // RFC 3261, 8.2.2.3, 8.2.3 and 8.2.4 hold within calls too; nothing keeps a call from ending.
    expect(await far.request("INVITE", offer, [{ name: "require", value: "100rel" }])).toBe(420);
    expect(await far.request("INVITE", offer, [{ name: "content-encoding", value: "gzip" }])).toBe(415);
    expect(await far.request("INVITE", offer, [{ name: "accept", value: "text/plain" }])).toBe(406);
    expect(call.cause()).toBeUndefined();
  });

  it("that never gives way to CANCEL is given up, and the caller needn't wait for it", async () => {
    const { trunks, carrier, run, until } = await setUp([says(180)], undefined, () => undefined);
    const call = await dial(carrier);
    await until(() => call.types().includes("ringing"));
    await call.hangup();
    expect(call.cause()).toBe("canceled");
    await run(33_000);
    expect(trunks[0]!.methods().filter((method) => method === "CANCEL")).toHaveLength(1);
  });

  it("that can't be reached refuses the call; without one there is no carrier", async () => {
    const clock = manualClock();
    const nowhere = carrierOver(clock, [trunkAt(1, { protocol: "tcp" })]);
    closers.push(() => nowhere.close());
    await expect(dial(nowhere)).rejects.toMatchObject({ code: "carrier_dial_failed" });
    const none = carrierOver(clock, []);
    await expect(dial(none)).rejects.toMatchObject({ code: "no_voice_carrier_available" });
  });

  it("that dies in the middle of a call leaves it to the media; BYE is given up after a while", async () => {
    const { trunks, carrier, run, until } = await setUp([answers]);
    const call = await dial(carrier);
    await until(() => call.media() !== undefined);
    await trunks[0]!.close();
    trunks.pop();
    await call.hangup();
    expect(call.cause()).toBe("local_hangup");
    await run(33_000);
  });
});
