import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../server/src/testing/free-port.ts";
import type { InboundAnswer } from "../../server/src/voice/carriers/inbound.ts";
import { carrierForPeers, follow, trunkAt } from "./carrier-for-peers.ts";
import { peerProgram, type Sipp, startSipp, steps, until } from "./sipp.ts";

const { pause } = steps;
const { invite, trying, answered, ack, hangup, bye, refused } = steps.calls;

describe.skipIf(!peerProgram("sipp", "sip-tester"))("calls that sipp makes to us (sip-tester)", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** A carrier that takes calls for +1 212 555 0177, and what it has taken. */
  async function answering(answer: () => Promise<InboundAnswer> = async () => "taken") {
    const port = await freePort();
    const taken: ReturnType<typeof follow>[] = [];
    const made = carrierForPeers([trunkAt(5060)], {
      port,
      answer: async ({ to, carrier }) => {
        if (to !== "+12125550177") return "no_agent";
        const what = await answer();
        const request = { organizationId: "o", callId: `in-${taken.length}`, from: "", to, ringTimeoutMs: 0 };
        if (what === "taken") taken.push(follow(await carrier.dial(request)));
        return what;
      },
    });
    closers.push(made.close);
    await until(() => made.told.includes("SIP is listening"), "it listens");
    const call = async (
      scenario: readonly string[],
      more: Parameters<typeof startSipp>[1] = {},
    ): Promise<Sipp> => {
      const started = await startSipp(scenario, { remote: { port, number: "+12125550177" }, ...more });
      closers.push(started.close);
      return started;
    };
    return { port, taken, call };
  }

  it("are answered, heard, and hung up by the caller", async () => {
    const { call, taken } = await answering();
    const caller = await call([invite, trying, answered, ack, pause(500), hangup]);
    await caller.succeeded();
    await until(() => taken[0]?.cause() !== undefined, "the end");
    expect(taken[0]!.cause()).toBe("remote_hangup");
    expect(taken[0]!.loudFrames()).toBeGreaterThan(10);
  });

  it("are hung up by us", async () => {
    const { call, taken } = await answering();
    const caller = await call([invite, trying, answered, ack, bye]);
    await until(() => (taken[0]?.loudFrames() ?? 0) > 5, "our own echo");
    await taken[0]!.hangup();
    await caller.succeeded();
    expect(taken[0]!.types).toEqual(["answered", "ended"]);
  });

  it("may leave it to us to say first what we can (RFC 3261, 13.2.1)", async () => {
    const { call, taken } = await answering();
    const { inviteWithoutOffer, ackWithAnswer } = steps.calls;
    const caller = await call([inviteWithoutOffer, trying, answered, ackWithAnswer, bye]);
    await until(() => (taken[0]?.loudFrames() ?? 0) > 5, "our own echo");
    await taken[0]!.hangup();
    await caller.succeeded();
  });

  it("come over TCP too, and are hung up over the same connection", async () => {
    const { call, taken } = await answering();
    const caller = await call([invite, trying, answered, ack, bye], { args: ["-t", "t1"] });
    await until(() => (taken[0]?.loudFrames() ?? 0) > 5, "our own echo");
    await taken[0]!.hangup();
    await caller.succeeded();
  });

  it("are canceled by the caller before anybody has answered", async () => {
    const never = new Promise<InboundAnswer>(() => undefined);
    const { call, taken } = await answering(() => never);
    const caller = await call([invite, steps.calls.tried, pause(100), steps.calls.cancel, refused(487)]);
    await caller.succeeded();
    expect(taken).toEqual([]);
  });

  it.each([
    ["to a number without an agent are not found", 404, "+12125550178", "127.0.0.1", "taken"],
    ["from where there is no trunk are forbidden", 403, "+12125550177", "127.0.0.2", "taken"],
    ["at the limit of calls are told busy", 486, "+12125550177", "127.0.0.1", "busy"],
    ["where there is no room are sent on", 503, "+12125550177", "127.0.0.1", "full"],
    ["that can't be taken are told so", 480, "+12125550177", "127.0.0.1", "unavailable"],
  ] as const)("%s", async (_, status, number, address, says) => {
    const { call, port } = await answering(async () => says);
    const caller = await call([invite, trying, refused(status)], { remote: { port, number }, address });
    await caller.succeeded();
  });

  it.each([2, 5])("get through when %i of 100 messages are lost", async (percent) => {
    const { call, taken } = await answering();
    const calls = 20;
    // A lost ACK is asked for again after 0.5 and 1.5 s. sipp gives a call up when that comes while it waits for the answer to its BYE.
    const caller = await call([invite, trying, answered, ack, pause(2_000), hangup], {
      calls,
      args: ["-lost", String(percent), "-r", String(calls)],
    });
    await until(
      () => taken.length === calls && taken.every((each) => each.cause() !== undefined),
      "every end",
      40_000,
    );
    expect(taken.map((each) => each.cause())).toEqual(Array(calls).fill("remote_hangup"));
    await caller.close();
  });
});
