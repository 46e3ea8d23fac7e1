import type { FastifyReply } from "fastify";

export const JSON_TYPE = "application/json; charset=utf-8";

const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "strict-transport-security": "max-age=31536000",
};

/** Through the framework and not on the raw response: headers set there make Node take a slower way for all of them. */
export function setCommonHeaders(reply: Pick<FastifyReply, "header" | "headers">, requestId: string): void {
  reply.headers(COMMON_HEADERS);
  reply.header("x-request-id", requestId);
}
