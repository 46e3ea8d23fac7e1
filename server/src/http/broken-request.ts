import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { JSON_TYPE } from "./common-headers.ts";

/** Requests that Node's parser refuses never reach a route; they get the envelope all the same. */
export function answerBrokenRequest(this: unknown, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const message =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "The request's headers are larger than 16 KiB."
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "The request did not arrive completely in time."
        : "The request is not valid HTTP.";
  const body = JSON.stringify({ error: "invalid_request", message, request_id: requestId });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}
