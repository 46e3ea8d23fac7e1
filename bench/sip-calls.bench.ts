import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { carrierForPeers, trunkAt } from "../tests/sip/carrier-for-peers.ts";
import { peerProgram, startSipp, steps, until } from "../tests/sip/sipp.ts";
import { median, quantile, report } from "./report.ts";

/**
 * Calls over a SIP trunk: how long from INVITE to ACK, seen by a server that answers at once, beside what sipp takes for the same;
 * and 50 calls at once with 20 beginning in a second, at a server that sipp plays.
 */
const CALLS = 200;
/** The compiler has seen our code by then, as that of a service that has run for a while; sipp's was compiled before. */
const WARM_UP = 2_000;
const REACH_RATIO = 2;
const AT_ONCE = 50;
const PER_SECOND = 20;
const LOAD_CALLS = 200;

if (!peerProgram("sipp", "sip-tester")) throw new Error("This benchmark needs sipp (sip-tester).");

/** In a process of its own: both sides pay the same for it. */
async function startServer() {
  const child = fork(fileURLToPath(new URL("sip-server-process.js", import.meta.url)));
  const [port] = (await once(child, "message")) as [number];
  return {
    port,
    /** Milliseconds from each INVITE to its ACK, in their order. */
    async took(): Promise<number[]> {
      child.send("report");
      const [took] = (await once(child, "message")) as [number[]];
      child.kill("SIGTERM");
      return took;
    },
  };
}

async function takenBySipp(): Promise<number[]> {
  const server = await startServer();
  const call = ["-sn", "uac", `127.0.0.1:${server.port}`, "-i", "127.0.0.1", "-r", "50", "-m", String(CALLS)];
  const sipp = spawn("sipp", [...call, "-nostdin", "-d", "10"], { stdio: "ignore" });
  await once(sipp, "exit");
  return server.took();
}

async function takenByUs(): Promise<number[]> {
  const server = await startServer();
  const { carrier, close } = carrierForPeers([trunkAt(server.port, { callsPerSecond: 200 })]);
  for (let index = 0; index < WARM_UP + CALLS; index++) {
    const request = { organizationId: "o", callId: `c${index}`, from: "+12125550199", to: "+12125550100" };
    // As sipp calls: one after the other, 50 a second.
    const turn = index < WARM_UP ? Promise.resolve() : delay(1_000 / 50);
    const call = await carrier.dial({ ...request, ringTimeoutMs: 30_000 });
    const ended = new Promise<void>((resolve) => {
      call.onEvent(({ type }) => {
        if (type === "answered") void call.hangup();
        if (type === "ended") resolve();
      });
    });
    await Promise.all([ended, turn]);
  }
  await close();
  return (await server.took()).slice(WARM_UP);
}

async function underLoad() {
  const { invite, ringing, answer, ack, hangup, pause } = steps;
  const upMs = (1_000 * AT_ONCE) / PER_SECOND;
  const peer = await startSipp([invite, ringing, answer, ack, pause(upMs), hangup], { calls: LOAD_CALLS });
  const { dial, close } = carrierForPeers([trunkAt(peer.port, { callsPerSecond: PER_SECOND })]);
  let up = 0;
  let most = 0;
  let failed = 0;
  await Promise.all(
    Array.from({ length: LOAD_CALLS }, async () => {
      const call = await dial();
      most = Math.max(most, ++up);
      await until(() => call.cause() !== undefined, "the end", 30_000);
      up--;
      if (call.cause() !== "remote_hangup" || call.loudFrames() < 25) failed++;
    }),
  );
  await close();
  await peer.close();
  return { most, failed };
}

const theirs = await takenBySipp();
const ours = await takenByUs();
const load = await underLoad();
const ms = (value: number) => `${value.toFixed(2)} ms`;
const ratio = median(ours) / median(theirs);
report("SIP calls", [
  {
    what: `from INVITE to ACK, median of ${ours.length}`,
    measured: `${ms(median(ours))} (p95 ${ms(quantile(ours, 0.95))})`,
    limit: `sipp ${ms(median(theirs))}`,
    ratio,
    reach: `≤ ${REACH_RATIO}`,
    reached: ours.length === CALLS && ratio <= REACH_RATIO,
  },
  {
    what: `${LOAD_CALLS} calls, ${PER_SECOND} a second, at most at once`,
    measured: `${load.most}, ${load.failed} failed`,
    reach: `${AT_ONCE} at once, none failed`,
    reached: load.failed === 0 && load.most >= AT_ONCE,
  },
]);
