import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface ServerSocket {
  readonly request: IncomingMessage;
  send(text: string): void;
  sendBinary(bytes: Buffer): void;
  /** Breaks the connection, without a goodbye. */
  drop(): void;
  onMessage(listener: (text: string) => void): void;
  onClosed(listener: () => void): void;
}

export interface WebSocketServer {
  readonly url: string;
  close(): Promise<void>;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/**
 * A WebSocket server on loopback, as much of RFC 6455 as a test's client needs.
 * @param admit answers an HTTP status to refuse a handshake, `null` to take it, `"never"` to leave it open
 */
export async function webSocketServer(
  admit: (request: IncomingMessage) => null | "never" | { status: number; headers?: Record<string, string> },
  onSocket: (socket: ServerSocket) => void,
  saysGoodbye = true,
): Promise<WebSocketServer> {
  const sockets = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on("upgrade", (request, stream) => {
    sockets.add(stream);
    stream.on("close", () => sockets.delete(stream));
    stream.on("error", () => undefined);
    stream.on("end", () => stream.end());
    const verdict = admit(request);
    if (verdict === "never") return;
    if (verdict) {
      const headers = Object.entries({ connection: "close", "content-length": "0", ...verdict.headers });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      stream.end(`HTTP/1.1 ${verdict.status} No\r\n${lines}\r\n`);
      return;
    }
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}${GUID}`)
      .digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    onSocket(serve(request, stream, saysGoodbye));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/realtime`,
    close: () =>
      new Promise((resolve) => {
        for (const stream of sockets) stream.destroy();
        server.close(() => resolve());
      }),
  };
}

function serve(request: IncomingMessage, stream: Duplex, saysGoodbye: boolean): ServerSocket {
  const messages: ((text: string) => void)[] = [];
  const closings: (() => void)[] = [];
  let buffered = Buffer.alloc(0);
  stream.on("close", () => {
    for (const listener of closings) listener();
  });
  stream.on("data", (data: Buffer) => {
    buffered = Buffer.concat([buffered, data]);
    for (let frame = readFrame(buffered); frame; frame = readFrame(buffered)) {
      buffered = buffered.subarray(frame.length);
      if (frame.opcode === 8 && saysGoodbye) stream.end(frameOf(8, frame.payload));
      else if (frame.opcode === 9) stream.write(frameOf(10, frame.payload));
      else if (frame.opcode === 1) for (const listener of messages) listener(frame.payload.toString());
    }
  });
  const write = (frame: Buffer) => {
    if (!stream.destroyed && stream.writable) stream.write(frame);
  };
  return {
    request,
    send: (text) => write(frameOf(1, Buffer.from(text))),
    sendBinary: (bytes) => write(frameOf(2, bytes)),
    drop: () => void stream.destroy(),
    onMessage: (listener) => void messages.push(listener),
    onClosed: (listener) => void closings.push(listener),
  };
}

/** Clients' frames are masked; these tests' are never fragmented. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 6) return null;
  const short = bytes[1]! & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 6 + extended) return null;
  const size =
    extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const start = 2 + extended + 4;
  if (bytes.length < start + size) return null;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size));
  for (let at = 0; at < payload.length; at++) payload[at]! ^= mask[at % 4]!;
  return { opcode: bytes[0]! & 0x0f, payload, length: start + size };
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const extended = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const header = Buffer.alloc(2 + extended);
  header[0] = 0x80 | opcode;
  header[1] = extended === 0 ? payload.length : extended === 2 ? 126 : 127;
  if (extended === 2) header.writeUInt16BE(payload.length, 2);
  if (extended === 8) header.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([header, payload]);
}
