import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** The sockets over which vendors bring calls' audio to this process. */
export interface MediaSockets {
  /**
   * Lets one socket in, at a path that nobody can guess. It is good for one connection.
   * @param vendor a part of the path: `twilio`
   * @param onSocket gets it open, and owns it
   */
  expect(vendor: string, onSocket: (socket: WebSocket) => void): ExpectedSocket;
  /** Takes an HTTP upgrade that is expected. @returns false for any other: nothing has been done to it */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Expects nothing any more and breaks what is open. */
  close(): void;
}

export interface ExpectedSocket {
  /** With its host before it, what the vendor connects to: `/v1/callbacks/twilio/media/{token}`. */
  path: string;
  /** Nobody is let in any more. */
  cancel(): void;
}

/** A message of 20 ms has less than 400 bytes, the longest of any other kind a few thousand. */
const MOST_BYTES = 16 * 1024;
const PATH = /^(?:\/public)?\/v1\/callbacks\/([a-z]+)\/media\/([A-Za-z0-9_-]{16,64})\/?(?:\?|$)/;

/** @param newToken letters and digits that nobody can guess */
export function createMediaSockets({ newToken }: { newToken(): string }): MediaSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES, perMessageDeflate: false });
  const expected = new Map<string, (socket: WebSocket) => void>();
  const open = new Set<WebSocket>();
  let isClosed = false;
  return {
    expect(vendor, onSocket) {
      const token = newToken();
      const key = `${vendor}/${token}`;
      if (!isClosed) expected.set(key, onSocket);
      return { path: `/v1/callbacks/${vendor}/media/${token}`, cancel: () => void expected.delete(key) };
    },
    handleUpgrade(request, socket, head) {
      const [, vendor, token] = PATH.exec(request.url ?? "") ?? [];
      const key = `${vendor}/${token}`;
      const onSocket = expected.get(key);
      if (!onSocket) return false;
      // Before the handshake, which may fail: a token that was shown once is used up.
      expected.delete(key);
      server.handleUpgrade(request, socket, head, (accepted) => {
        open.add(accepted);
        accepted.on("close", () => open.delete(accepted));
        // Whoever owns it hears of it by `close`, too.
        accepted.on("error", () => undefined);
        onSocket(accepted);
      });
      return true;
    },
    close() {
      isClosed = true;
      expected.clear();
      for (const socket of open) socket.terminate();
      server.close();
    },
  };
}
