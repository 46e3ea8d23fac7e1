import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** What the sink does with a request once it has read all of it. */
export type SinkBehaviour =
  | {
      kind: "respond";
      /** Default 200. */
      status?: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
      delayMs?: number;
    }
  /** Never answers. */
  | { kind: "hang" }
  /** Sends the head, then a byte every `everyMs` (default 20), for ever. */
  | { kind: "drip"; status?: number; everyMs?: number }
  /** Sends a header line every `everyMs` (default 20), for ever: the head never ends. */
  | { kind: "drip-head"; everyMs?: number }
  /** Sends `103 Early Hints` every `everyMs` (default 1), for ever. */
  | { kind: "informational-flood"; everyMs?: number }
  /** Sends body bytes as fast as they are taken, for ever. */
  | { kind: "huge"; status?: number }
  /** 50 MiB of zeros, compressed to some 50 KB. */
  | { kind: "gzip-bomb" }
  /** Resets the connection instead of answering. */
  | { kind: "reset" }
  /** Closes the connection instead of answering. */
  | { kind: "close" }
  /** Sends the head and half of the body it announced, then resets. */
  | { kind: "cut-off"; status?: number }
  | { kind: "redirect"; location: string; status?: number }
  /** Writes these bytes to the connection as they are, and leaves it open. */
  | { kind: "raw"; bytes: string };

/** Plays one behaviour on a response. Its timers end with the connection. */
export function playBehaviour(
  behaviour: SinkBehaviour,
  response: ServerResponse,
  written: { bytes: number },
): void {
  const socket = response.socket!;
  const repeat = (everyMs: number, act: () => unknown) => {
    const timer = setInterval(act, everyMs);
    socket.once("close", () => clearInterval(timer));
  };
  switch (behaviour.kind) {
    case "respond":
      respond(behaviour, response);
      break;
    case "hang":
      break;
    case "drip":
      response.writeHead(behaviour.status ?? 200, { "content-type": "text/plain" });
      response.write("first words");
      repeat(behaviour.everyMs ?? 20, () => {
        response.write(".");
        written.bytes += 1;
      });
      break;
    case "drip-head":
      socket.write("HTTP/1.1 200 OK\r\n");
      repeat(behaviour.everyMs ?? 20, () => socket.write("x-more: y\r\n"));
      break;
    case "informational-flood":
      repeat(behaviour.everyMs ?? 1, () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
      break;
    case "huge":
      response.writeHead(behaviour.status ?? 200, { "content-type": "text/plain" });
      pour(response, written);
      break;
    case "gzip-bomb":
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
      break;
    case "reset":
      socket.resetAndDestroy();
      break;
    case "close":
      socket.end();
      break;
    case "cut-off":
      response.writeHead(behaviour.status ?? 200, { "content-length": "1000" });
      response.write("half of it", () => socket.resetAndDestroy());
      break;
    case "redirect":
      response.writeHead(behaviour.status ?? 302, { location: behaviour.location }).end();
      break;
    case "raw":
      socket.write(behaviour.bytes);
      break;
  }
}

function respond(behaviour: SinkBehaviour & { kind: "respond" }, response: ServerResponse): void {
  const answer = () =>
    response.writeHead(behaviour.status ?? 200, behaviour.headers).end(behaviour.body ?? "");
  if (!behaviour.delayMs) {
    answer();
    return;
  }
  const timer = setTimeout(answer, behaviour.delayMs);
  response.socket?.once("close", () => clearTimeout(timer));
}

function pour(response: ServerResponse, written: { bytes: number }): void {
  const chunk = Buffer.alloc(16 * 1024, "x");
  const more = () => {
    while (!response.destroyed) {
      written.bytes += chunk.length;
      if (!response.write(chunk)) return;
    }
  };
  response.on("drain", more);
  more();
}
