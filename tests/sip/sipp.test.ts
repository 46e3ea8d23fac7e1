import { afterEach, describe, expect, it } from "vitest";
import { ANSWER_CODES } from "../../server/src/voice/carriers/sip/answer-codes.ts";
import { carrierForPeers, trunkAt } from "./carrier-for-peers.ts";
import { peerProgram, type Sipp, startSipp, steps, until } from "./sipp.ts";

const { invite, trying, ringing, progress, answer, refuse, ack, cancel, bye, hangup, pause } = steps;

/** Against a SIP server that somebody else has written. Missing: `apt-get install sip-tester`. */
describe.skipIf(!peerProgram("sipp", "sip-tester"))("calls over a trunk that sipp plays (sip-tester)", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const sipp = async (...parameters: Parameters<typeof startSipp>): Promise<Sipp> => {
    const started = await startSipp(...parameters);
    closers.push(started.close);
    return started;
  };
  const carrierOver = (...peers: { port: number }[]) => {
    const made = carrierForPeers(peers.map(({ port }) => trunkAt(port)));
    closers.push(made.close);
    return made;
  };

  it("end by the table of answers, each with its ACK", async () => {
    const codes = [...Object.entries(ANSWER_CODES), ["500", "failed"], ["488", "failed"], ["606", "failed"]];
    for (const some of [codes.slice(0, 8), codes.slice(8)]) {
      await Promise.all(
        some.map(async ([code, cause]) => {
          const peer = await sipp([invite, trying, refuse(Number(code)), ack]);
          const call = await carrierOver(peer).dial();
          await until(() => call.cause() !== undefined, `the end by ${code}`);
          expect(`${code} ${call.cause()}`).toBe(`${code} ${cause}`);
          await peer.succeeded();
        }),
      );
    }
  });

  it("are rung, answered, heard and hung up by us", async () => {
    const peer = await sipp([invite, trying, progress, ringing, pause(200), answer, ack, bye]);
    const call = await carrierOver(peer).dial();
    await until(() => call.loudFrames() > 25, "half a second of our own echo");
    await call.hangup();
    expect(call.types).toEqual(["ringing", "answered", "ended"]);
    expect(call.cause()).toBe("local_hangup");
    await peer.succeeded();
  });

  it("are hung up by the far side", async () => {
    const peer = await sipp([invite, ringing, answer, ack, pause(300), hangup]);
    const call = await carrierOver(peer).dial();
    await until(() => call.cause() !== undefined, "their end");
    expect(call.cause()).toBe("remote_hangup");
    await peer.succeeded();
  });

  it("are canceled when they have rung for too long, and when nobody wants them any more", async () => {
    const late = await sipp([invite, trying, ringing, cancel, ack]);
    const call = await carrierOver(late).dial({ ringTimeoutMs: 300 });
    await until(() => call.cause() !== undefined, "the end");
    expect(call.cause()).toBe("no_answer");
    await late.succeeded();
    const unwanted = await sipp([invite, trying, ringing, cancel, ack]);
    const other = await carrierOver(unwanted).dial();
    await until(() => other.types.includes("ringing"), "ringing");
    await other.hangup();
    expect(other.cause()).toBe("canceled");
    await unwanted.succeeded();
  });

  it("go on to the next trunk after 503, and end with a trunk that dies in the middle", async () => {
    const full = await sipp([invite, trying, refuse(503), ack]);
    const dies = await sipp([invite, ringing, answer, ack, bye]);
    const call = await carrierOver(full, dies).dial();
    await until(() => call.loudFrames() > 5, "audio");
    await full.succeeded();
    dies.kill();
    await call.hangup();
    expect(call.cause()).toBe("local_hangup");
  });

  it("travel over TCP too", async () => {
    const peer = await sipp([invite, trying, ringing, answer, ack, bye], { args: ["-t", "t1"] });
    const made = carrierForPeers([trunkAt(peer.port, { protocol: "tcp" })]);
    closers.push(made.close);
    const call = await made.dial();
    await until(() => call.loudFrames() > 5, "audio");
    await call.hangup();
    await peer.succeeded();
  });

  it.each([2, 5])("get through when %i of 100 messages are lost", async (percent) => {
    const calls = 20;
    const peer = await sipp([invite, ringing, answer, ack, pause(200), hangup], {
      calls,
      args: ["-lost", String(percent)],
    });
    const { dial } = carrierOver(peer);
    const made = await Promise.all(Array.from({ length: calls }, () => dial()));
    await until(() => made.every((call) => call.cause() !== undefined), "every end", 20_000);
    expect(made.map((call) => call.cause())).toEqual(Array(calls).fill("remote_hangup"));
  });
});
