import type { FastifyReply, FastifyRequest } from "fastify";
import type { IdempotencyClaim, IdempotencyScope, IdempotencyStart } from "./idempotency.ts";
import type { RouteDefinition } from "./route.ts";

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
  /** Lets the route judge a request's signature, and counts what it refuses. @throws DomainError */
  checkSignature?(route: RouteDefinition<Caller>, request: FastifyRequest): Promise<void>;
  /** @throws DomainError when the state of the caller's organization doesn't allow a write */
  allowWrite(caller: Caller): void;
  /** Adds to a log line what names the caller by ids. */
  addLogFields(caller: Caller, line: Record<string, unknown>): void;
  idempotency?(
    caller: Caller,
    scope: Omit<IdempotencyScope, "organizationId" | "keyId">,
    body: unknown,
  ): Promise<IdempotencyStart>;
}

export interface RequestState {
  startedAt: number;
  /** Null for an unknown path. */
  route: RouteDefinition<never> | null;
  caller: unknown;
  claim: IdempotencyClaim | undefined;
  code: string | undefined;
}

export function newState(route: RouteDefinition<never> | null): RequestState {
  return { startedAt: performance.now(), route, caller: undefined, claim: undefined, code: undefined };
}

declare module "fastify" {
  interface FastifyRequest {
    state: RequestState;
  }
}
