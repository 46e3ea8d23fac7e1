import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import { createMediaSockets, type MediaSockets } from "../../voice/carriers/media-socket/index.ts";

/** Both ends of a media socket, over loopback. */
export interface MediaSocketPair {
  ours: WebSocket;
  theirs: WebSocket;
  close(): Promise<void>;
}

/** A server that takes nothing but media sockets. */
export async function mediaSocketServer(): Promise<{
  sockets: MediaSockets;
  /** `ws://127.0.0.1:port` */
  url: string;
  close(): Promise<void>;
}> {
  let lastToken = 0;
  const sockets = createMediaSockets({
    newToken: () => `token-of-test-${String(++lastToken).padStart(4, "0")}`,
  });
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    if (!sockets.handleUpgrade(request, socket, head)) socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    sockets,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      sockets.close();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export async function mediaSocketPair(): Promise<MediaSocketPair> {
  const { sockets, url, close } = await mediaSocketServer();
  let path = "";
  const accepted = new Promise<WebSocket>((resolve) => {
    path = sockets.expect("test", resolve).path;
  });
  const theirs = new WebSocket(url + path);
  await once(theirs, "open");
  return { ours: await accepted, theirs, close };
}
