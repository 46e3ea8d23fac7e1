import { createSocket } from "node:dgram";
import { once } from "node:events";
import { decodeG711, encodeG711 } from "../server/src/voice/media/g711.ts";
import type { MediaMessage, MediaRequest } from "./rtp-processes.ts";

/** What any RTP server on this platform pays: each packet is received, decoded, coded again and sent back. */
const HEADER_BYTES = 12;
let usage = process.cpuUsage();
const tell = (message: MediaMessage) => process.send!(message);

async function open(remotePorts: readonly number[]): Promise<number[]> {
  const own: number[] = [];
  for (const port of remotePorts) {
    const socket = createSocket({
      type: "udp4",
      lookup: (hostname, _options, done) => done(null, hostname, 4),
    });
    // It may be listening before `bind` returns.
    const listening = once(socket, "listening");
    socket.bind(0, "127.0.0.1");
    await listening;
    own.push(socket.address().port);
    const samples = new Int16Array(160);
    socket.on("message", (bytes) => {
      decodeG711("pcmu", bytes.subarray(HEADER_BYTES), samples);
      encodeG711("pcmu", samples, bytes.subarray(HEADER_BYTES));
      socket.send(bytes, port, "127.0.0.1");
    });
  }
  return own;
}

process.on("message", async (request: MediaRequest) => {
  if (request.type === "open") tell({ type: "opened", ports: await open(request.remotePorts) });
  if (request.type === "measure") usage = process.cpuUsage();
  if (request.type === "report") {
    const { user, system } = process.cpuUsage(usage);
    tell({ type: "report", cpuMs: (user + system) / 1_000 });
  }
  if (request.type === "stop") process.exit(0);
});
tell({ type: "ready" });
