import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Takes a connection that is asked to change its protocol. @returns false where it isn't wanted: nothing has been done then */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

const NOT_REPEATED = new Set(["upgrade", "connection", "http2-settings"]);

/**
 * Offers every upgrade to `take`. One that isn't taken is answered as if it hadn't been asked for, as RFC 9110 (7.8) wants it:
 * clients ask for HTTP/2 with ordinary requests. Node knows only all upgrades or none, so such a request is read once more.
 */
export function offerUpgrades(server: Server, take: TakeUpgrade): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    if (take(request, socket, head)) return;
    const { method, url, httpVersion, rawHeaders } = request;
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (!NOT_REPEATED.has(rawHeaders[at]!.toLowerCase()))
        lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    }
    // What would follow is meant in the other protocol.
    lines.push("connection: close", "", "");
    socket.unshift(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), head]));
    server.emit("connection", socket);
  });
}
