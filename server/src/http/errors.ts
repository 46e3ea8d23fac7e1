import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain-error.ts";
import { statusOf } from "./error-codes.ts";

export interface ErrorEnvelope {
  error: string;
  message?: string;
  request_id: string;
  [detail: string]: unknown;
}

export interface ErrorAnswer {
  status: number;
  envelope: ErrorEnvelope;
  /** What the log keeps and the answer never shows. Only on failures of the service itself. */
  cause?: unknown;
}

/** Turns whatever was thrown into the contract's answer. Anything unknown is a 500 that tells nothing of itself. */
export function errorAnswer(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof DomainError) {
    const status = statusOf(error.code);
    if (status !== undefined) {
      const envelope = { error: error.code, message: error.message, request_id: requestId, ...error.details };
      return status >= 500 && status !== 501
        ? { status, envelope, cause: error.cause ?? error }
        : { status, envelope };
    }
  }
  const fromFramework = frameworkAnswers[(error as FastifyError | undefined)?.code ?? ""];
  if (fromFramework) {
    const [status, code, message] = fromFramework;
    return { status, envelope: { error: code, message, request_id: requestId } };
  }
  return {
    status: 500,
    envelope: {
      error: "internal_error",
      message: "The service failed to answer this request. Retry later, and name the request_id if it stays.",
      request_id: requestId,
    },
    cause: error,
  };
}

const TOO_LARGE = [
  413,
  "payload_too_large",
  "The request body is larger than this endpoint accepts.",
] as const;
const NOT_JSON = [
  400,
  "invalid_json",
  "The body must be JSON, sent with Content-Type: application/json.",
] as const;
const BAD_REQUEST = [400, "invalid_request", "The request could not be understood."] as const;

/** The framework's own refusals, in the contract's words. */
const frameworkAnswers: Record<string, readonly [number, string, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: NOT_JSON,
  FST_ERR_CTP_INVALID_JSON_BODY: NOT_JSON,
  FST_ERR_CTP_EMPTY_JSON_BODY: NOT_JSON,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: BAD_REQUEST,
  FST_ERR_BAD_URL: [400, "invalid_request", "The URL is malformed."],
  FST_ERR_ASYNC_CONSTRAINT: BAD_REQUEST,
  FST_ERR_MAX_PARAM_LENGTH: BAD_REQUEST,
  ERR_HTTP_REQUEST_TIMEOUT: [400, "invalid_request", "The request did not arrive completely in time."],
};

/** Sends the answer for an error and logs what the answer must not show. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, envelope, cause } = errorAnswer(error, request.id);
  if (cause !== undefined) request.log.error({ err: cause, request_id: request.id }, "request failed");
  if (status === 429 && typeof envelope.retry_after_seconds === "number") {
    reply.header("retry-after", envelope.retry_after_seconds);
  }
  if (status === 416) reply.header("content-range", `bytes */${String(envelope.size)}`);
  // The framework would close the connection at once, and a client that is still sending would get a broken pipe instead
  // of the answer. The rest of the body is taken and thrown away.
  if (status === 413) {
    reply.removeHeader("connection");
    request.raw.resume();
  }
  if (envelope.error === "idempotency_in_progress") reply.header("retry-after", 1);
  return reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(envelope);
}
