import type { TSchema } from "typebox";
import { type ErrorCode, errorCodes, statusOf } from "./error-codes.ts";
import type { JsonObject, ObjectSchema } from "./openapi-schemas.ts";
import type { RouteDefinition } from "./route.ts";

/** Codes that carry a name after a colon, with one for the example. */
const SUFFIXES: Readonly<Record<string, readonly [placeholder: string, example: string]>> = {
  unknown_field: ["name", "colour"],
  unknown_scope: ["name", "leads:delete"],
  unknown_event_type: ["type", "lead.deleted"],
  unknown_template_field: ["key", "mood"],
};

/** Details that an answer with this code has besides the common fields. */
const DETAILS: Readonly<Record<string, JsonObject>> = {
  insufficient_scope: { required: "leads:write" },
  rate_limited: { retry_after_seconds: 3 },
  range_not_satisfiable: { size: 960_058 },
};

const REQUEST_ID = "0198f0a2-7c1e-4a5b-9d3f-2b6c8e1f4a70";

/** What each status is called where its response is the same in many operations. */
const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthenticated",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  422: "IdempotencyKeyReused",
  429: "RateLimited",
  500: "Failed",
  501: "Unavailable",
};

/** Every code that a route can answer, in the order of the catalog: its own, its guard's and those its schemas carry. */
function codesOf(route: RouteDefinition<never>): ErrorCode[] {
  const codes = new Set<string>(["invalid_request", "internal_error", ...(route.errors ?? [])]);
  const add = (...more: string[]) => {
    for (const code of more) codes.add(code);
  };
  if (route.access === "operator") add("unauthenticated");
  else if (route.access === "token" || route.access === "signature") add("unauthenticated", "rate_limited");
  else if (route.access !== "public") {
    add("missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key");
    add("auth_lookup_failed", "rate_limited");
    if (route.access !== "any_key") add("insufficient_scope");
  }
  if (route.unavailable) add("feature_unavailable");
  else {
    if (route.method !== "GET") add("payload_too_large");
    if (route.method !== "GET" && !route.rawBody) add("invalid_json");
    if (route.writes && route.access !== "operator") add("organization_not_active");
    if (route.idempotent) add("invalid_idempotency_key", "idempotency_in_progress", "idempotency_key_reused");
    if (namesResource(route)) add("not_found");
    for (const schema of [route.params, route.query, route.body]) if (schema) add(...codesIn(schema));
    if ((route.body as ObjectSchema | undefined)?.additionalProperties === false) add("unknown_field");
  }
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}

/** A path that ends in an id, or goes through one other than the organization's, names what may not be there. */
function namesResource(route: RouteDefinition<never>): boolean {
  return Object.keys((route.params as ObjectSchema | undefined)?.properties ?? {}).some(
    (name) => name !== "organization_id",
  );
}

/** The codes that schemas carry as `x-error` and its kin, without suffixes. */
function codesIn(schema: TSchema): string[] {
  const codes: string[] = [];
  const visit = (value: unknown, key: string) => {
    if (typeof value === "string") {
      if (["x-error", "x-error-required", "x-unknown-error"].includes(key)) codes.push(value);
    } else if (key === "x-error") {
      codes.push(...(Object.values(value as object) as string[]));
    } else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        if (key === "x-immutable") codes.push(String(part));
        else visit(part, name);
      }
    }
  };
  visit(schema, "");
  return codes;
}

export interface ErrorResponses {
  /** The error responses of an operation by status, each with its codes. */
  responsesOf(route: RouteDefinition<never>): JsonObject;
  /** Responses that several operations share. Complete once every operation is made. */
  responses(): JsonObject;
  /** An example for each code met. */
  examples(): JsonObject;
}

/** Writes the error responses: the codes of a status stand in its description, its `x-error-codes` and its examples. */
export function errorResponses(routes: readonly RouteDefinition<never>[]): ErrorResponses {
  const used = new Set<ErrorCode>();
  const uses = new Map<string, number>();
  const keyOf = (status: number, codes: readonly ErrorCode[], limited: boolean) =>
    `${status} ${limited} ${codes.join(" ")}`;
  const isLimited = (route: RouteDefinition<never>) =>
    !["public", "token", "signature", "operator"].includes(route.access);
  for (const route of routes) {
    for (const [status, codes] of byStatus(codesOf(route))) {
      const key = keyOf(status, codes, isLimited(route));
      uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  }
  // A status has one shared response: the one that most operations have.
  const shared = new Map<string, string>();
  for (const [status, name] of Object.entries(RESPONSE_NAMES)) {
    const [most] = [...uses]
      .filter(([key, count]) => key.startsWith(`${status} `) && count > 1)
      .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
    if (most) shared.set(most[0], name);
  }
  const components = new Map<string, JsonObject>();

  return {
    responsesOf(route) {
      const limited = isLimited(route);
      return Object.fromEntries(
        byStatus(codesOf(route)).map(([status, codes]) => {
          for (const code of codes) used.add(code);
          const response = responseOf(status, codes, limited);
          const name = shared.get(keyOf(status, codes, limited));
          if (name === undefined) return [status, response];
          components.set(name, response);
          return [status, { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
    responses: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    examples: () =>
      Object.fromEntries(
        (Object.keys(errorCodes) as ErrorCode[])
          .filter((code) => used.has(code))
          .map((code) => [code, { summary: withPlaceholder(code), value: exampleOf(code) }]),
      ),
  };
}

function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = statusOf(code)!;
    statuses.set(status, [...(statuses.get(status) ?? []), code]);
  }
  return [...statuses].sort(([a], [b]) => a - b);
}

function responseOf(status: number, codes: readonly ErrorCode[], limited: boolean): JsonObject {
  const headers: JsonObject = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  // Before the key is known there is no limit to tell of.
  if (limited && status !== 401) {
    for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining"])
      headers[name] = { $ref: `#/components/headers/${name}` };
  }
  if (codes.includes("rate_limited") || codes.includes("idempotency_in_progress"))
    headers["Retry-After"] = { $ref: "#/components/headers/Retry-After" };
  return {
    description: codes.map((code) => `- \`${withPlaceholder(code)}\`: ${errorCodes[code][1]}`).join("\n"),
    headers,
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
    "x-error-codes": [...codes],
  };
}

function withPlaceholder(code: ErrorCode): string {
  const suffix = SUFFIXES[code];
  return suffix ? `${code}:<${suffix[0]}>` : code;
}

function exampleOf(code: ErrorCode): JsonObject {
  const suffix = SUFFIXES[code];
  return {
    error: suffix ? `${code}:${suffix[1]}` : code,
    message: errorCodes[code][1],
    request_id: REQUEST_ID,
    ...DETAILS[code],
  };
}

/** The envelope of every answer that isn't a success. */
export const errorSchema: JsonObject = {
  type: "object",
  required: ["error", "request_id"],
  properties: {
    error: {
      type: "string",
      description:
        "A stable code. It may carry a name after a colon (`unknown_field:<name>`): match on the part before it. " +
        "An open set: treat an unknown code as a generic failure of its status class.",
    },
    message: { type: "string", description: "For people" },
    request_id: { type: "string", format: "uuid", description: "Equals the `X-Request-Id` header" },
    required: { type: "string", description: "Only with `insufficient_scope`: the scope that the key lacks" },
    retry_after_seconds: { type: "integer", description: "Only with `rate_limited`" },
    size: { type: "integer", description: "Only with `range_not_satisfiable`: in bytes" },
    docs: { type: "string", format: "uri", description: "Only with `not_found` for an unknown path" },
  },
};
