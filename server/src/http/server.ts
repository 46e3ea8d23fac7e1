import { randomUUID } from "node:crypto";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { DomainError } from "../domain-error.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { setCommonHeaders } from "./common-headers.ts";
import { addPreflight, allowAnyOrigin } from "./cors.ts";
import { errorAnswer, sendError } from "./errors.ts";
import { type Guard, newState, type RequestRecord } from "./guard.ts";
import { parseJson, readBody } from "./request-body.ts";
import type { Answer, RouteDefinition } from "./route.ts";
import { shadowedPaths } from "./shadowed-paths.ts";
import { offerUpgrades, type TakeUpgrade } from "./upgrades.ts";
import { createValidatorCompiler, type Formats } from "./validation.ts";

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
  /** Takes the WebSockets that belong to nobody's route. Left out: an upgrade is answered as an ordinary request. */
  takeUpgrade?: TakeUpgrade;
  onRequestDone?: (record: RequestRecord) => void;
}

const JSON_BODY_LIMIT = 1024 * 1024;
/** A whole request, the largest CSV over a slow line too. The framework's own default is no limit. */
const REQUEST_WITHIN_MS = 120_000;
/** A client that takes nothing of its answer (a recording, say) for so long is gone: its file and its socket are let go. */
const SILENT_FOR_MS = 300_000;

export function createHttpServer<Caller>(options: HttpServerOptions<Caller>): FastifyInstance {
  const { guard, logger } = options;
  const app = Fastify({
    loggerInstance: warningsOf(logger) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than the request id that it would add: lines name it themselves.
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_LIMIT,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionTimeout: SILENT_FOR_MS,
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

  if (options.takeUpgrade) offerUpgrades(app.server, options.takeUpgrade);

  app.decorateRequest("state");
  app.setValidatorCompiler(createValidatorCompiler(options.formats) as never);
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      done(null, request.state.route?.rawBody ? body : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    if (request.state.route?.rawBody) done(null, body);
    else if (body.length === 0) done(null, undefined);
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
    const record: RequestRecord = {
      method: request.method,
      route: route ? route.path : null,
      status: reply.statusCode,
      seconds: milliseconds / 1000,
    };
    if (state.code !== undefined) record.code = state.code;
    options.onRequestDone?.(record);
    // One object, filled field by field: this runs for every request.
    const line: Record<string, unknown> = { request_id: request.id };
    if (typeof clientId === "string") line.client_request_id = clientId.slice(0, 200);
    line.method = record.method;
    line.route = record.route;
    line.status = record.status;
    line.ms = Math.round(milliseconds * 10) / 10;
    if (state.code) line.code = state.code;
    if (state.caller) guard.addLogFields(state.caller as Caller, line);
    logger.info(line);
  });

  for (const prefix of options.prefixes) {
    for (const route of options.routes) addRoute(app, guard, route, prefix);
    for (const { method, path } of shadowedPaths(options.routes)) {
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

/** Fastify's own log: what it has to say below a warning (where it listens) the service says by itself. */
function warningsOf(logger: Logger): Logger {
  return logger.isLevelEnabled("info") ? logger.child({}, { level: "warn" }) : logger;
}

function addRoute<Caller>(
  app: FastifyInstance,
  guard: Guard<Caller>,
  route: RouteDefinition<Caller>,
  prefix: string,
): void {
  if (route.cors) addPreflight(app, route, prefix);
  const responses = Object.entries(route.responses).filter(([, response]) => response.schema);
  app.route({
    method: route.method,
    url: `${prefix}${route.path}` || "/",
    ...(route.bodyLimit ? { bodyLimit: route.bodyLimit } : {}),
    onRequest: (request, reply, done) => begin(guard, route, request, reply, done),
    ...(route.method === "GET"
      ? {}
      : {
          preValidation: route.rawBody
            ? (request) => checkSignature(guard, route, request)
            : (request, reply) => readBody(guard, route, prefix, request, reply),
        }),
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
      route.checkBody?.(request.body);
      if (route.writes === true) guard.allowWrite(caller);
      const { claim } = request.state;
      const answer = await route.handle({
        requestId: request.id,
        caller,
        params: request.params,
        query: request.query,
        body: request.body,
        rawBody: route.rawBody ? (request.body as Buffer) : NO_BODY,
        headers: request.headers,
        refuseUnlessActive: () => guard.allowWrite(caller),
        ...(claim ? { remember: claim.remember } : undefined),
      });
      return sendAnswer(reply, answer);
    },
  });
}

const NO_BODY = Buffer.alloc(0);

async function checkSignature<Caller>(
  guard: Guard<Caller>,
  route: RouteDefinition<Caller>,
  request: FastifyRequest,
): Promise<void> {
  // A request without a body has no parser to make one.
  if (!Buffer.isBuffer(request.body)) request.body = NO_BODY;
  await guard.checkSignature?.(route, request);
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
  if (route.cors) allowAnyOrigin(reply);
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

function sendAnswer(reply: FastifyReply, { status = 200, body, headers, contentType }: Answer): FastifyReply {
  if (headers) reply.headers(headers);
  reply.code(status);
  if (contentType) reply.type(contentType);
  return reply.send(body);
}

function notFound(request: FastifyRequest, docs: string): DomainError {
  return new DomainError(
    "not_found",
    `There is no ${request.method} ${request.url.split("?", 1)[0]!.slice(0, 200).toWellFormed()} here.`,
    { docs },
  );
}
