import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { memoryTrunkLimits } from "../../../testing/voice/memory-trunk-limits.ts";
import { createRtpPorts } from "../../media/rtp-ports.ts";
import type { CarrierEvent } from "../carrier.ts";
import { createSipCarrier } from "./create-sip-carrier.ts";
import { header, responseTo, type SipMessage, type SipRequest, serialize } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { resolveTarget } from "./resolve-target.ts";

const SDP =
  "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n";

/** The timers of RFC 3261, table 4, over a UDP socket: when what is sent again, and when no more. */
describe("what isn't answered", () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** The carrier, and a far side that does nothing by itself. */
  async function setUp(answers: "taken" | "no_agent" = "no_agent") {
    const clock = manualClock();
    const socket = createSocket("udp4");
    const received: { at: number; message: SipMessage; port: number }[] = [];
    socket.on("message", (bytes, from) => {
      const message = parseMessage(bytes);
      if (message) received.push({ at: clock.now(), message, port: from.port });
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const { port } = socket.address();
    const trunks = [
      {
        id: "t",
        organizationId: null,
        name: "t",
        host: "127.0.0.1",
        port,
        protocol: "udp" as const,
        credentials: null,
        channels: null,
        callsPerSecond: null,
        register: false,
      },
    ];
    let ours = 0;
    const carrier = createSipCarrier({
      clock,
      newToken: () => randomBytes(8).toString("hex"),
      ports: createRtpPorts({ from: 40_000, to: 40_999 }),
      source: { trunksOf: async () => trunks, allTrunks: async () => trunks },
      limits: memoryTrunkLimits(clock),
      resolve: resolveTarget,
      bind: { address: "127.0.0.1", port: 0 },
      advertisedAddress: null,
      logger: {
        error() {},
        warn() {},
        info: (fields) => (ours = "port" in fields ? Number(fields.port) : ours),
      },
      now: clock.now,
    });
    closers.push(
      () => socket.close(),
      () => carrier.close(),
    );
    const events: CarrierEvent[] = [];
    const request = {
      organizationId: "o",
      callId: "c",
      from: "+12125550199",
      to: "+12125550100",
      ringTimeoutMs: 60_000,
    };
    carrier.answerWith(async (call) => {
      if (answers === "taken") (await call.carrier.dial(request)).onEvent((event) => events.push(event));
      return answers;
    });
    await expect.poll(() => ours).toBeGreaterThan(0);
    const of = (what: string) =>
      received.filter(
        ({ message }) => (message.kind === "request" ? message.method : String(message.status)) === what,
      );
    const arrived = (what: string, count: number) =>
      expect.poll(() => of(what).length, { interval: 1 }).toBe(count);
    const send = (message: SipMessage) => socket.send(serialize(message), ours, "127.0.0.1");
    return {
      clock,
      events,
      send,
      arrived,
      last: (what: string) => of(what).at(-1)!.message,
      respond: (to: SipMessage, status: number, body = "") =>
        send(responseTo(to as SipRequest, status, "Said", { tag: "far", body })),
      dial: async () => {
        const call = await carrier.dial(request);
        call.onEvent((event) => events.push(event));
        return call;
      },
      /** Sends something, and moves the clock: it comes again after each of these times, and then no more. */
      async comesAgain(what: string, gaps: readonly number[], thenNotFor: number) {
        await arrived(what, 1);
        let count = 1;
        for (const gap of gaps) {
          clock.advance(gap - 1);
          expect(of(what)).toHaveLength(count);
          clock.advance(1);
          await arrived(what, ++count);
        }
        clock.advance(thenNotFor);
        await settle();
        expect(of(what)).toHaveLength(count);
      },
      of,
      request: (
        method: string,
        cseq: number,
        more: { tag?: string; branch?: string; body?: string } = {},
      ): SipRequest => ({
        kind: "request",
        method,
        uri: "sip:+12125550177@127.0.0.1",
        headers: [
          {
            name: "via",
            value: `SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${more.branch ?? `far-${method}-${cseq}`}`,
          },
          { name: "from", value: "<sip:+14155550100@127.0.0.1>;tag=far" },
          {
            name: "to",
            value: `<sip:+12125550177@127.0.0.1>${more.tag === undefined ? "" : `;tag=${more.tag}`}`,
          },
          { name: "call-id", value: "from-far" },
          { name: "cseq", value: `${cseq} ${method}` },
          { name: "contact", value: `<sip:far@127.0.0.1:${port}>` },
          ...(more.body === undefined ? [] : [{ name: "content-type", value: "application/sdp" }]),
        ],
        body: Buffer.from(more.body ?? ""),
      }),
    };
  }
  /** Lets datagrams arrive that would be too many. */
  async function settle() {
    for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const tagOfAnswer = (message: SipMessage) => /tag=(\w+)/.exec(header(message, "to")!)![1]!;

  it("of ours: INVITE goes again by timer A, until B (17.1.1.2)", async () => {
    const far = await setUp();
    await far.dial();
    await far.comesAgain("INVITE", [500, 1_000, 2_000, 4_000, 8_000, 16_000], 600);
    expect(far.events).toEqual([{ type: "ended", cause: "failed" }]);
  });

  it("of ours: BYE goes again by timer E, until F (17.1.2.2); a 2xx that comes again is acknowledged again (13.2.2.4)", async () => {
    const far = await setUp();
    const call = await far.dial();
    await far.arrived("INVITE", 1);
    const invite = far.last("INVITE");
    far.respond(invite, 200, SDP);
    await far.arrived("ACK", 1);
    far.respond(invite, 200, SDP);
    await far.arrived("ACK", 2);
    expect(far.last("ACK").headers).toEqual(
      expect.arrayContaining([
        { name: "cseq", value: "1 ACK" },
        { name: "to", value: expect.stringContaining("tag=far") },
      ]),
    );
    await expect.poll(() => far.events.map(({ type }) => type)).toContain("answered");
    await call.hangup();
    await far.comesAgain("BYE", [500, 1_000, 2_000, ...Array(7).fill(4_000)], 4_000);
  });

  it("of ours: once something is heard, no INVITE goes again; a refusal that comes again gets its ACK again, as long as timer D runs (17.1.1.2)", async () => {
    const far = await setUp();
    await far.dial();
    await far.arrived("INVITE", 1);
    const invite = far.last("INVITE");
    far.respond(invite, 180);
    await expect.poll(() => far.events.length).toBe(1);
    far.clock.advance(40_000);
    await settle();
    expect(far.of("INVITE")).toHaveLength(1);
    far.respond(invite, 486);
    await far.arrived("ACK", 1);
    far.clock.advance(31_000);
    far.respond(invite, 486);
    await far.arrived("ACK", 2);
    expect(far.events.at(-1)).toEqual({ type: "ended", cause: "busy" });
    far.clock.advance(1_001);
    far.respond(invite, 486);
    await settle();
    expect(far.of("ACK")).toHaveLength(2);
  });

  it("of theirs: the refusal of an INVITE goes again by timer G, until its ACK comes or H is over (17.2.1)", async () => {
    const far = await setUp();
    const invite = far.request("INVITE", 1, { body: SDP });
    far.send(invite);
    await far.comesAgain("404", [500, 1_000, 2_000], 0);
    const ack = far.request("ACK", 1, { branch: "far-INVITE-1", tag: tagOfAnswer(far.last("404")) });
    far.send(ack);
    await settle();
    far.clock.advance(20_000);
    await settle();
    expect(far.of("404")).toHaveLength(4);

    const never = await setUp();
    never.send(never.request("INVITE", 1, { body: SDP }));
    await never.comesAgain("404", [500, 1_000, 2_000, ...Array(7).fill(4_000)], 8_000);
  });

  it("of theirs: what comes again is answered again alike, as long as timer J runs (17.2.2)", async () => {
    const far = await setUp();
    const question = far.request("OPTIONS", 1);
    far.send(question);
    await far.arrived("200", 1);
    far.clock.advance(31_999);
    far.send(question);
    await far.arrived("200", 2);
    const [one, other] = far.of("200").map(({ message }) => tagOfAnswer(message));
    expect(one).toBe(other);
    far.clock.advance(1);
    far.send(question);
    await far.arrived("200", 3);
    expect(tagOfAnswer(far.last("200"))).not.toBe(one);
  });

  it("of theirs: a 2xx goes again until its ACK comes; without one the call is ended (13.3.1.4)", async () => {
    const far = await setUp("taken");
    far.send(far.request("INVITE", 1, { body: SDP }));
    await far.comesAgain("200", [500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000], 400);
    expect(far.events).toEqual([]);
    far.clock.advance(100);
    await far.arrived("BYE", 1);
    expect(far.events).toEqual([{ type: "ended", cause: "failed" }]);
    far.respond(far.last("BYE"), 200);
  });
});
