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
  const repeat = (everyMs: number, act: () => void) => {
    const timer = setInterval(act, everyMs);
    socket.once("close", () => clearInterval(timer));
  };
  switch (behaviour.kind) {
    case "respond": {
      const answer = () =>
        response.writeHead(behaviour.status ?? 200, behaviour.headers).end(behaviour.body ?? "");
      if (!behaviour.delayMs) return void answer();
      const timer = setTimeout(answer, behaviour.delayMs);
      socket.once("close", () => clearTimeout(timer));
      return;
    }
    case "hang":
      return;
    case "drip":
      response.writeHead(behaviour.status ?? 200, { "content-type": "text/plain" });
      response.write("first words");
      return repeat(behaviour.everyMs ?? 20, () => {
        response.write(".");
        written.bytes += 1;
      });
    case "drip-head":
      socket.write("HTTP/1.1 200 OK\r\n");
      return repeat(behaviour.everyMs ?? 20, () => void socket.write("x-more: y\r\n"));
    case "informational-flood":
      return repeat(behaviour.everyMs ?? 1, () => void socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
    case "huge":
      response.writeHead(behaviour.status ?? 200, { "content-type": "text/plain" });
      return pour(response, written);
    case "gzip-bomb":
      response.writeHead(200, { "content-encoding": "gzip" });
      return void response.end(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
    case "reset":
      return void socket.resetAndDestroy();
    case "close":
      return void socket.end();
    case "cut-off":
      response.writeHead(behaviour.status ?? 200, { "content-length": "1000" });
      return void response.write("half of it", () => socket.resetAndDestroy());
    case "redirect":
      return void response.writeHead(behaviour.status ?? 302, { location: behaviour.location }).end();
    case "raw":
      return void socket.write(behaviour.bytes);
  }
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
