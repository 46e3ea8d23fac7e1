import { isUtf8 } from "node:buffer";
import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain-error.ts";
import { JSON_TYPE } from "./common-headers.ts";
import type { Guard } from "./guard.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { RouteDefinition } from "./route.ts";
import { refuseDeepNesting } from "./validation.ts";

/** @throws DomainError invalid_json */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new DomainError("invalid_json", "The body must be JSON in UTF-8.");
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    // `null` in a body must not be taken for a body that was not sent.
    return value === null ? [] : value;
  } catch {
    throw new DomainError("invalid_json", "The body is not valid JSON.");
  }
}

/** After the body is parsed and before it is validated: what an empty one stands for, its depth, and the idempotency key. */
export async function readBody<Caller>(
  guard: Guard<Caller>,
  route: RouteDefinition<Caller>,
  prefix: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (request.body === undefined || request.body === null) request.body = emptyBody(route);
  refuseDeepNesting(request.body);
  const header = request.headers["idempotency-key"];
  if (!route.idempotent || header === undefined || !guard.idempotency) return undefined;
  const start = await guard.idempotency(
    request.state.caller as Caller,
    { method: route.method, path: resourcePath(request, prefix), key: readIdempotencyKey(header) },
    request.body,
  );
  if (start.kind === "claimed") {
    request.state.claim = start.claim;
    return undefined;
  }
  reply.header("idempotency-replayed", "true");
  const body = start.body as Record<string, unknown>;
  if (start.status >= 400) request.state.code = String(body.error);
  const replayed = "request_id" in body ? { ...body, request_id: request.id } : body;
  return reply.code(start.status).type(JSON_TYPE).serializer(JSON.stringify).send(replayed);
}

/** What an empty body stands for. @throws DomainError invalid_json where the route requires a field */
function emptyBody<Caller>(route: RouteDefinition<Caller>): Record<string, never> {
  const required = (route.body as { required?: string[] } | undefined)?.required ?? [];
  if (required.length > 0) {
    throw new DomainError(
      "invalid_json",
      `The body is empty, but ${required.join(", ")} ${required.length === 1 ? "is" : "are"} required. Send JSON with Content-Type: application/json.`,
    );
  }
  return {};
}

/** The path below the prefix, so that a retry through the alias meets the same idempotency record. */
function resourcePath(request: FastifyRequest, prefix: string): string {
  const path = request.url.split("?", 1)[0]!;
  return path.slice(prefix.length).replace(/\/+$/, "") || "/";
}
