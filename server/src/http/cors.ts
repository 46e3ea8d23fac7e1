import type { FastifyInstance, FastifyReply } from "fastify";
import { setCommonHeaders } from "./common-headers.ts";
import { newState } from "./guard.ts";
import type { RouteDefinition } from "./route.ts";

const PREFLIGHT_SECONDS = 7_200;

/** Lets pages of any origin read the answer. Credentials of the browser's own (cookies) are never asked for. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.headers({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "x-request-id, retry-after",
  });
}

/** Answers the OPTIONS request that a browser sends first. */
export function addPreflight<Caller>(
  app: FastifyInstance,
  route: RouteDefinition<Caller>,
  prefix: string,
): void {
  app.route({
    method: "OPTIONS",
    url: prefix + route.path,
    onRequest: (request, reply, done) => {
      request.state = newState(route as RouteDefinition<never>);
      setCommonHeaders(reply, request.id);
      allowAnyOrigin(reply);
      done();
    },
    handler: (_request, reply) =>
      reply
        .headers({
          "access-control-allow-methods": route.method,
          "access-control-allow-headers": "authorization, content-type",
          "access-control-max-age": PREFLIGHT_SECONDS,
        })
        .code(204)
        .send(),
  });
}
