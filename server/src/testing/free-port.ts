import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

const FIRST = 10_000;
const PAIRS = 5_000;

/**
 * A port of loopback, even, that nobody has over TCP or UDP, nor the one above it. Below those that the system deals out by itself: of these
 * any socket of another test could have it a moment later.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + 2 * Math.floor(Math.random() * PAIRS);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket("udp4");
  try {
    const listening = Promise.all([once(server, "listening"), once(socket, "listening")]);
    server.listen(port, "127.0.0.1");
    socket.bind({ port, address: "127.0.0.1", exclusive: true });
    await listening;
    return true;
  } catch {
    return false;
  } finally {
    await Promise.all([closed(server), closed(socket)]);
  }
}

function closed(one: { close(done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    try {
      one.close(() => resolve());
    } catch {
      // It never was open.
      resolve();
    }
  });
}
