import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { manualClock } from "../../server/src/testing/manual-clock.ts";
import { causeOf } from "../../server/src/voice/carriers/sip/answer-codes.ts";
import { carrierForPeers, trunkAt } from "./carrier-for-peers.ts";
import { peerProgram, type Sipp, startSipp, steps, until } from "./sipp.ts";

const { invite, trying, ringing, progress, answer, refuse, ack, cancel, bye, hangup, pause } = steps;
const ALICE = { credentials: { username: "alice", password: "secret" } };

/** Every final answer but 2xx that an RFC has a name for, and some that none has. */
const CODES = [
  ...[
    300, 301, 302, 305, 380, 400, 401, 402, 403, 404, 405, 406, 407, 408, 410, 412, 413, 414, 415, 416, 417,
  ],
  ...[
    420, 421, 422, 423, 424, 425, 428, 429, 430, 433, 436, 437, 438, 439, 440, 469, 470, 480, 481, 482, 483,
  ],
  ...[
    484, 485, 486, 487, 488, 489, 491, 493, 494, 500, 501, 502, 503, 504, 505, 513, 555, 580, 600, 603, 604,
  ],
  ...[606, 607, 608, 399, 499, 599, 699],
];

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
    const peer = await sipp([steps.refuseByNumber(CODES)], { calls: CODES.length });
    const { dial } = carrierOver(peer);
    for (let at = 0; at < CODES.length; at += 16) {
      await Promise.all(
        CODES.slice(at, at + 16).map(async (code) => {
          const call = await dial({ to: `+1212555${code}` });
          await until(() => call.cause() !== undefined, `the end by ${code}`);
          expect(`${code} ${call.cause()}`).toBe(`${code} ${causeOf(code)}`);
        }),
      );
    }
    await peer.succeeded();
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

  it("take what was said with early media for the answer (RFC 3261, 13.2.1)", async () => {
    const peer = await sipp([invite, trying, progress, pause(100), steps.answerBriefly, ack, bye]);
    const call = await carrierOver(peer).dial();
    await until(() => call.loudFrames() > 5, "our own echo");
    await call.hangup();
    expect(call.types).toEqual(["ringing", "answered", "ended"]);
    await peer.succeeded();
  });

  it("whose answers fork keep the first, and end the second (13.2.2.4)", async () => {
    const forks = [invite, ringing, answer, ack, steps.answerTwice, ack, steps.byeOfOther, bye];
    const peer = await sipp(forks);
    const call = await carrierOver(peer).dial();
    await until(() => call.loudFrames() > 5, "our own echo");
    await call.hangup();
    expect(call.types).toEqual(["ringing", "answered", "ended"]);
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

  it("that are answered while they are canceled are acknowledged and ended (9.1, 15)", async () => {
    const peer = await sipp([invite, ringing, steps.crossedCancel, ack, bye]);
    const call = await carrierOver(peer).dial();
    await until(() => call.types.includes("ringing"), "ringing");
    await call.hangup();
    expect(call.cause()).toBe("canceled");
    await peer.succeeded();
    expect(call.types).toEqual(["ringing", "ended"]);
  });

  it("are put on hold, taken back and moved to another address (14.2, RFC 3264, 8)", async () => {
    const elsewhere = createSocket("udp4");
    closers.push(async () => void elsewhere.close());
    let packets = 0;
    elsewhere.on("message", (bytes, from) => {
      packets++;
      elsewhere.send(bytes, from.port, from.address);
    });
    elsewhere.bind(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const { reinvite } = steps;
    const peer = await sipp([
      ...[invite, ringing, answer, ack, pause(200), reinvite(2, "sendonly", "recvonly"), pause(300)],
      ...[reinvite(3, "sendrecv", "sendrecv", elsewhere.address().port), pause(200), bye],
    ]);
    const call = await carrierOver(peer).dial();
    await until(() => packets > 20, "audio at the other address");
    const before = call.loudFrames();
    await until(() => call.loudFrames() > before + 10, "its echo");
    await call.hangup();
    await peer.succeeded();
    expect(call.types).toEqual(["ringing", "answered", "ended"]);
  });

  it("give the password that is asked for, which sipp checks (22.2)", async () => {
    const { challenge, authorized } = steps;
    const peer = await sipp([
      ...[invite, challenge("one", ', qop="auth", algorithm=MD5'), ack],
      ...[authorized("INVITE"), ringing, answer, ack, bye],
    ]);
    const made = carrierForPeers([trunkAt(peer.port, ALICE)]);
    closers.push(made.close);
    const call = await made.dial();
    await until(() => call.loudFrames() > 5, "audio");
    await call.hangup();
    await peer.succeeded();
  });

  it("can come in by a registration that is kept for as long as it is wanted (10.2)", async () => {
    const { challengeOnce, authorized, expect: sees, reply, request } = steps;
    const asks = (nonce: string) => [request("REGISTER"), challengeOnce(nonce)];
    const peer = await sipp([
      // Too brief; then for as long as is asked for, of which little is granted.
      ...[sees('request="REGISTER"', "Expires: 300"), challengeOnce("a"), authorized("REGISTER")],
      reply(423, "Min-Expires: 600"),
      ...[sees('request="REGISTER"', "Expires: 600"), challengeOnce("b"), authorized("REGISTER")],
      reply(200, "[last_Contact:];expires=40"),
      // Before it runs out, with a nonce that has grown old meanwhile.
      ...[...asks("c"), authorized("REGISTER"), challengeOnce("d", ", stale=true"), authorized("REGISTER")],
      reply(200, "[last_Contact:];expires=3600"),
      // Given up at the end.
      ...[sees('request="REGISTER"', "Expires: 0"), challengeOnce("e"), authorized("REGISTER")],
      reply(200, "Expires: 0"),
    ]);
    const clock = manualClock();
    const made = carrierForPeers([trunkAt(peer.port, { ...ALICE, register: true })], { clock });
    made.carrier.answerWith(async () => "no_agent");
    const registered = () => made.told.filter((each) => each === "a trunk has registered us").length;
    closers.push(made.close);
    await until(() => registered() === 1, "registered");
    clock.advance(20_000);
    await made.close();
    await peer.succeeded();
    expect(registered()).toBe(1);
  });

  it("go over a trunk that is asked once a minute whether it is there (11)", async () => {
    const peer = await sipp([steps.request("OPTIONS"), steps.reply(200, "Allow: INVITE")], { calls: 2 });
    const clock = manualClock();
    const made = carrierForPeers([trunkAt(peer.port)], { clock });
    closers.push(made.close);
    made.carrier.answerWith(async () => "no_agent");
    await until(() => made.told.includes("SIP is listening"), "it listens");
    clock.advance(60_000);
    clock.advance(60_000);
    // It ends after the second.
    await peer.succeeded();
    const isMissed = () => {
      clock.advance(1_000);
      return made.told.includes("a trunk doesn't answer any more");
    };
    await until(isMissed, "nobody answers");
    const again = await startSipp([steps.request("OPTIONS"), steps.reply(200, "Allow: INVITE")], {
      port: peer.port,
    });
    closers.push(again.close);
    const isBack = () => {
      clock.advance(1_000);
      return made.told.includes("a trunk answers again");
    };
    await until(isBack, "it answers again");
  });

  it("go on to the next trunk after 503, and end with a trunk that dies in the middle", async () => {
    const full = await sipp([invite, trying, refuse(503), ack]);
    const dies = await sipp([invite, ringing, answer, ack, bye]);
    const call = await carrierOver(full, dies).dial();
    await until(() => call.loudFrames() > 5, "audio");
    await full.succeeded();
    dies.kill();
    await until(() => call.isSilent(), "nothing comes any more");
    await call.hangup();
    expect(call.cause()).toBe("local_hangup");
  });

  it("end with a trunk that dies while it rings: nobody answers", async () => {
    const dies = await sipp([invite, ringing, pause(60_000)]);
    const call = await carrierOver(dies).dial({ ringTimeoutMs: 1_000 });
    await until(() => call.types.includes("ringing"), "ringing");
    dies.kill();
    await until(() => call.cause() !== undefined, "the end");
    expect(call.cause()).toBe("no_answer");
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
