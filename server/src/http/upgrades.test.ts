import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offerUpgrades } from "./upgrades.ts";

let server: Server;
let port: number;
const asked: (string | undefined)[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.end(`${request.method} ${request.headers["x-own"]} ${Buffer.concat(parts)}`);
  });
  offerUpgrades(server, ({ url }, socket) => {
    asked.push(url);
    if (url !== "/wanted") return false;
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    return true;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends the parts one after the other. @returns everything that comes until the other side closes */
async function exchange(...parts: string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => {
    received += data.toString();
  });
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, "close");
  return received;
}

const upgrade = (method: string, path: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: here\r\nX-Own: yes\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n${more}\r\n`;

describe("an upgrade", () => {
  it("is given to who wants it", async () => {
    expect(await exchange(upgrade("GET", "/wanted"))).toMatch(/^HTTP\/1\.1 101 /);
  });

  it("is otherwise answered as if it hadn't been asked for, and the connection closed", async () => {
    const answer = await exchange(upgrade("GET", "/other"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/connection: close\r\n/i);
    expect(answer).toContain("GET yes ");
    expect(asked).toEqual(["/other"]);
  });

  it("keeps the body, however it comes", async () => {
    const length = "Content-Length: 6\r\n";
    expect(await exchange(`${upgrade("POST", "/", length)}abcdef`)).toContain("POST yes abcdef");
    expect(await exchange(upgrade("POST", "/", length), "abc", "def")).toContain("POST yes abcdef");
  });
});
