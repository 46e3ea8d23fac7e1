import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { DomainError } from "../domain-error.ts";
import { errorAnswer, sendError } from "./errors.ts";
import type { IdempotencyClaim, IdempotencyScope, IdempotencyStart } from "./idempotency.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { Answer, Method, RouteDefinition } from "./route.ts";
import { createValidatorCompiler, type Formats, refuseDeepNesting } from "./validation.ts";

/** What a request log line and the metrics are made of. Never names, numbers, keys or bodies. */
export interface RequestRecord {
  method: string;
  /** The route's template, or null for an unknown path. */
  route: string | null;
  status: number;
  seconds: number;
  /** The error code, when the answer was one. */
  code?: string;
}

/** Who is let in, and as whom: the API key's guard on the public side, the operator's on the private one. */
export interface Guard<Caller> {
  /**
   * Identifies the caller and checks rate and scope, in that order. Without a promise where nothing had to be asked for:
   * each turn that a request takes costs it.
   * @throws DomainError
   */
  admit(
    route: RouteDefinition<Caller>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Caller | Promise<Caller>;
  /** @throws DomainError when the state of the caller's organization doesn't allow a write */
  allowWrite(caller: Caller): void;
  /** Log fields that name the caller by ids. */
  logFields(caller: Caller): Record<string, string>;
  idempotency?(
    caller: Caller,
    scope: Omit<IdempotencyScope, "organizationId" | "keyId">,
    body: unknown,
  ): Promise<IdempotencyStart>;
}

export interface HttpServerOptions<Caller> {
  /** Under each of these, all routes answer. */
  prefixes: readonly string[];
  routes: readonly RouteDefinition<Caller>[];
  /** Routes at fixed paths outside the prefixes. */
  rootRoutes?: readonly RouteDefinition<Caller>[];
  guard: Guard<Caller>;
  formats: Formats;
  logger: Logger;
  /** Named in the answer to an unknown path. */
  docsUrl: string;
  trustedProxies: readonly string[];
  onRequestDone?: (record: RequestRecord) => void;
}

interface RequestState {
  startedAt: number;
  /** Null for an unknown path. */
  route: RouteDefinition<never> | null;
  caller: unknown;
  claim: IdempotencyClaim | undefined;
  code: string | undefined;
}

function newState(route: RouteDefinition<never> | null): RequestState {
  return { startedAt: performance.now(), route, caller: undefined, claim: undefined, code: undefined };
}

declare module "fastify" {
  interface FastifyRequest {
    state: RequestState;
  }
}

const JSON_BODY_LIMIT = 1024 * 1024;
const JSON_TYPE = "application/json; charset=utf-8";

export function createHttpServer<Caller>(options: HttpServerOptions<Caller>): FastifyInstance {
  const { guard, logger } = options;
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than the request id that it would add: lines name it themselves.
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_LIMIT,
    // A request on a connection that was open when the drain began is still answered, with Connection: close.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // Without this Node answers a request without Host by itself, and without the envelope.
    http: { requireHostHeader: false },
    // The contract has no HEAD; by default each would run its GET, an export of a million leads too.
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => {
      request.state ??= newState(null);
      setCommonHeaders(reply, request.id);
      sendError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: answerBrokenRequest,
  });

  // An expectation that Node doesn't know would be answered 417 without the envelope; it is ignored instead.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));

  app.decorateRequest("state");
  app.setValidatorCompiler(createValidatorCompiler(options.formats) as never);
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else
      done(
        new DomainError("invalid_json", "The body must be JSON, sent with Content-Type: application/json."),
      );
  });

  // Before the body is parsed: an unknown path is 404 whatever is sent to it.
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    request.state = newState(null);
    setCommonHeaders(reply, request.id);
    done(notFound(request, options.docsUrl));
  });

  app.setErrorHandler(async (error, request, reply) => {
    const { status, envelope } = errorAnswer(error, request.id);
    request.state.code = envelope.error.split(":", 1)[0]!;
    const claim = request.state.claim;
    if (claim) {
      const settled =
        status >= 500 || status === 429 || envelope.error === "idempotency_in_progress"
          ? claim.release()
          : claim.rememberRefusal(status, envelope);
      await settled.catch((cause: unknown) =>
        request.log.error({ err: cause, request_id: request.id }, "idempotency record left running"),
      );
    }
    return sendError(error, request, reply);
  });
  app.setNotFoundHandler((request) => {
    throw notFound(request, options.docsUrl);
  });

  // A connection whose request was running when the drain began is idle only after its answer: without this it would
  // hold the drain until its keep-alive runs out, 72 s later.
  let draining = false;
  app.addHook("preClose", async () => {
    draining = true;
  });

  app.addHook("onResponse", (request, reply, done) => {
    done();
    if (draining) setImmediate(() => app.server.closeIdleConnections());
    const { state } = request;
    const { route } = state;
    const milliseconds = performance.now() - state.startedAt;
    const clientId = request.headers["x-request-id"];
    options.onRequestDone?.({
      method: request.method,
      route: route ? route.path : null,
      status: reply.statusCode,
      seconds: milliseconds / 1000,
      ...(state.code === undefined ? undefined : { code: state.code }),
    });
    logger.info({
      request_id: request.id,
      ...(typeof clientId === "string" ? { client_request_id: clientId.slice(0, 200) } : {}),
      method: request.method,
      route: route?.path ?? null,
      status: reply.statusCode,
      ms: Math.round(milliseconds * 10) / 10,
      ...(state.code ? { code: state.code } : {}),
      ...(state.caller ? guard.logFields(state.caller as Caller) : {}),
    });
  });

  for (const prefix of options.prefixes) {
    for (const route of options.routes) addRoute(app, guard, route, prefix);
    for (const { method, path } of shadowed(options.routes)) {
      app.route({
        method,
        url: prefix + path,
        onRequest: (request, reply, done) => {
          request.state = newState(null);
          setCommonHeaders(reply, request.id);
          done(notFound(request, options.docsUrl));
        },
        handler: () => {},
      });
    }
  }
  for (const route of options.rootRoutes ?? []) addRoute(app, guard, route, "");
  return app;
}

function addRoute<Caller>(
  app: FastifyInstance,
  guard: Guard<Caller>,
  route: RouteDefinition<Caller>,
  prefix: string,
): void {
  const responses = Object.entries(route.responses).filter(([, response]) => response.schema);
  app.route({
    method: route.method,
    url: `${prefix}${route.path}` || "/",
    ...(route.bodyLimit ? { bodyLimit: route.bodyLimit } : {}),
    onRequest: (request, reply, done) => begin(guard, route, request, reply, done),
    ...(route.method === "GET"
      ? {}
      : { preValidation: (request, reply) => readBody(guard, route, prefix, request, reply) }),
    schema: {
      ...(route.params ? { params: route.params } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.body ? { body: route.body } : {}),
      ...(responses.length > 0
        ? { response: Object.fromEntries(responses.map(([status, response]) => [status, response.schema])) }
        : {}),
    },
    handler: async (request, reply) => {
      const caller = request.state.caller as Caller;
      if (route.writes) guard.allowWrite(caller);
      const { claim } = request.state;
      const answer = await route.handle({
        requestId: request.id,
        caller,
        params: request.params,
        query: request.query,
        body: request.body,
        headers: request.headers,
        ...(claim ? { remember: claim.remember } : undefined),
      });
      return sendAnswer(reply, answer);
    },
  });
}

/**
 * Paths such as `GET /leads/bulk`, where only POST exists: without a route of their own they would be taken for
 * `GET /leads/:id` and answered as a malformed id instead of as the unknown path that they are.
 */
function shadowed(routes: readonly { method: string; path: string }[]): { method: Method; path: string }[] {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const fixed = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(":"));
  const found: { method: Method; path: string }[] = [];
  for (const { method, path } of routes) {
    if (!path.includes(":")) continue;
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);
    for (const candidate of fixed) {
      if (!pattern.test(candidate) || known.has(`${method} ${candidate}`)) continue;
      known.add(`${method} ${candidate}`);
      found.push({ method: method as Method, path: candidate });
    }
  }
  return found;
}

/** The first step of a request to a route: who is it, and may it? */
function begin<Caller>(
  guard: Guard<Caller>,
  route: RouteDefinition<Caller>,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const state = newState(route as RouteDefinition<never>);
  request.state = state;
  setCommonHeaders(reply, request.id);
  const admitted = (caller: Caller) => {
    state.caller = caller;
    if (route.unavailable) {
      done(new DomainError("feature_unavailable", "This part of the API isn't available yet."));
    } else done();
  };
  try {
    const caller = guard.admit(route, request, reply);
    if (caller instanceof Promise) caller.then(admitted, done);
    else admitted(caller);
  } catch (error) {
    done(error as Error);
  }
}

/** After the body is parsed and before it is validated: what an empty one stands for, its depth, and the idempotency key. */
async function readBody<Caller>(
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

function sendAnswer(reply: FastifyReply, { status = 200, body, headers, contentType }: Answer): FastifyReply {
  if (headers) reply.headers(headers);
  reply.code(status);
  if (contentType) reply.type(contentType);
  return reply.send(body);
}

const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "strict-transport-security": "max-age=31536000",
};

/** Through the framework and not on the raw response: headers set there make Node take a slower way for all of them. */
function setCommonHeaders(reply: Pick<FastifyReply, "header" | "headers">, requestId: string): void {
  reply.headers(COMMON_HEADERS);
  reply.header("x-request-id", requestId);
}

function parseJson(body: Buffer): unknown {
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

function notFound(request: FastifyRequest, docs: string): DomainError {
  return new DomainError(
    "not_found",
    `There is no ${request.method} ${request.url.split("?", 1)[0]!.slice(0, 200).toWellFormed()} here.`,
    { docs },
  );
}

/** Requests that Node's parser refuses never reach a route; they get the envelope all the same. */
function answerBrokenRequest(this: unknown, error: NodeJS.ErrnoException, socket: Socket): void {
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
