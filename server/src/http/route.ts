import type { Readable } from "node:stream";
import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "./error-codes.ts";
import type { RememberAnswer } from "./idempotency.ts";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/**
 * Who may call a route: a key with this scope, any valid key, whoever holds the resource's own token, a carrier by its
 * signature, or anybody. The private API has its operator only.
 */
export type Access = Scope | "any_key" | "token" | "signature" | "operator" | "public";

/** What a signature is made over. */
export interface SignedRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came. */
  body: Buffer;
  /** The path with the query, as it came. */
  url: string;
}

/** What a handler gets of a request that has passed every check before it. */
export interface RequestContext<Caller, Params, Query, Body> {
  requestId: string;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** As it came, of a route with `rawBody`; empty for the others. */
  rawBody: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Of a route with `writes: "after_values"`: called once every value of the request is found good.
   * @throws DomainError organization_not_active
   */
  refuseUnlessActive: () => void;
  /**
   * Present when the request carries an `Idempotency-Key`. A verb that writes calls it with the answer, inside the
   * transaction of its write, so that write and remembered answer commit together.
   */
  remember?: RememberAnswer;
}

export interface Answer {
  status?: number;
  /** JSON through the response schema; text, bytes and streams as they are. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  contentType?: string;
}

export interface RouteDefinition<Caller = unknown> {
  method: Method;
  /** Below the prefix, with `:id` parameters. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** A JSON schema by status, or a media type for answers that aren't JSON. */
  responses: Readonly<Record<number, { description: string; schema?: TSchema; mediaType?: string }>>;
  /** The codes this route can answer beyond those of every route. */
  errors?: readonly ErrorCode[];
  /**
   * Refused with `organization_not_active` while the organization is suspended: when the body has been found good, or,
   * where only the handler can tell whether it is, when that calls `refuseUnlessActive`.
   */
  writes?: boolean | "after_values";
  /** Takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** Answers this instead of running, once key and scope are found good. */
  unavailable?: boolean;
  /** Pages of any origin may call it: for routes whose credential is a token of their own. */
  cors?: boolean;
  /**
   * With access `token`: refuses a Bearer token that isn't the resource's, before the body is read. `params` are as sent.
   * @throws DomainError unauthenticated
   */
  checkToken?(token: string, params: Readonly<Record<string, string>>): Promise<void>;
  /** The body is the handler's own business: of any content type, checked by nobody. As the documents describe it. */
  rawBody?: { mediaType: string; schema: TSchema };
  /**
   * With access `signature` and `rawBody`: refuses what isn't signed. Failures are counted by address.
   * @throws DomainError unauthenticated, not_found
   */
  checkSignature?(request: SignedRequest): void;
  /** Bytes; default 1 MiB. */
  bodyLimit?: number;
  /**
   * Refuses what the schema of a body can't say, such as fields that exclude each other; before the state of the
   * organization is looked at.
   * @throws DomainError
   */
  checkBody?(body: unknown): void;
  handle(context: RequestContext<Caller, unknown, unknown, unknown>): Promise<Answer>;
}

type StaticOf<T> = T extends TSchema ? Static<T> : undefined;

/** Ties a handler's types to its route's schemas. */
export function routeFor<Caller>() {
  return <
    const Params extends TSchema | undefined = undefined,
    const Query extends TSchema | undefined = undefined,
    const Body extends TSchema | undefined = undefined,
  >(
    definition: Omit<RouteDefinition<Caller>, "params" | "query" | "body" | "checkBody" | "handle"> & {
      params?: Params;
      query?: Query;
      body?: Body;
      checkBody?(body: StaticOf<Body>): void;
      handle(
        context: RequestContext<Caller, StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>,
      ): Promise<Answer>;
    },
  ): RouteDefinition<Caller> => definition as unknown as RouteDefinition<Caller>;
}

/** An answer that streams. */
export function streamed(
  stream: Readable,
  contentType: string,
  headers: Record<string, string> = {},
): Answer {
  return { body: stream, contentType, headers };
}
