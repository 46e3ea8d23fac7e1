import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { RTP_HEADER_BYTES, writeRtpHeader } from "../server/src/voice/media/rtp-packet.ts";
import type { CallerMessage, CallerReport, CallerRequest } from "./rtp-processes.ts";

/** The far side of many calls, in a process of its own: sends µ-law speech every 20 ms, and notes when packets come back. */
interface Call {
  socket: Socket;
  port: number;
  lastAt: number;
  received: number;
}

const FRAME_BYTES = 160;
const calls: Call[] = [];
/** Gaps between arrivals, in tenths of a millisecond; the last bin holds all that are longer. */
const gaps = new Uint32Array(5_000);
let speech = new Uint8Array(FRAME_BYTES);
let measuring = false;

const tell = (message: CallerMessage) => process.send!(message);

async function open(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const socket = createSocket({
      type: "udp4",
      lookup: (hostname, _options, done) => done(null, hostname, 4),
    });
    // It may be listening before `bind` returns.
    const listening = once(socket, "listening");
    socket.bind(0, "127.0.0.1");
    await listening;
    const call: Call = { socket, port: 0, lastAt: 0, received: 0 };
    socket.on("message", () => {
      if (!measuring) return;
      const at = performance.now();
      if (call.lastAt > 0) gaps[Math.min(gaps.length - 1, Math.round((at - call.lastAt) * 10))]!++;
      call.lastAt = at;
      call.received++;
    });
    calls.push(call);
  }
  tell({ type: "opened", ports: calls.map(({ socket }) => socket.address().port) });
}

const FRAME_MS = 20;

/**
 * Each of the 20 milliseconds has its share of the calls, on an absolute schedule: phones don't wait for each other, so packets of
 * many calls come one by one and not in bursts.
 */
function everyFrame(sends: readonly (() => void)[]): void {
  const origin = performance.now();
  let due = 0;
  const run = () => {
    for (; due <= performance.now() - origin; due++)
      for (let index = due % FRAME_MS; index < sends.length; index += FRAME_MS) sends[index]!();
    setTimeout(run, Math.max(0, origin + due - performance.now()));
  };
  run();
}

function speakTo(ports: readonly number[]): void {
  const sends = calls.map((call, index) => {
    const bytes = new Uint8Array(RTP_HEADER_BYTES + FRAME_BYTES);
    let sequenceNumber = index;
    let timestamp = 0;
    // Not all of them say the same at the same time.
    let at = (index * 7_919 * FRAME_BYTES) % speech.length;
    return () => {
      sequenceNumber = (sequenceNumber + 1) & 0xffff;
      timestamp += FRAME_BYTES;
      writeRtpHeader(bytes, { marker: false, payloadType: 0, sequenceNumber, timestamp, ssrc: index + 1 });
      bytes.set(speech.subarray(at, at + FRAME_BYTES), RTP_HEADER_BYTES);
      at = (at + FRAME_BYTES) % speech.length;
      call.socket.send(bytes, ports[index]!, "127.0.0.1");
    };
  });
  everyFrame(sends);
}

process.on("message", (request: CallerRequest) => {
  if (request.type === "open") {
    speech = Uint8Array.from(
      request.speech.slice(0, request.speech.length - (request.speech.length % FRAME_BYTES)),
    );
    void open(request.calls);
  }
  if (request.type === "speak") speakTo(request.ports);
  if (request.type === "measure") {
    measuring = true;
    for (const call of calls) Object.assign(call, { lastAt: 0, received: 0 });
    gaps.fill(0);
  }
  if (request.type === "report") {
    measuring = false;
    tell({
      type: "report",
      received: calls.map(({ received }) => received),
      gaps: [...gaps],
    } satisfies CallerReport);
  }
  if (request.type === "stop") process.exit(0);
});
