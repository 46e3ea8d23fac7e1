import type { FastifyRequest } from "fastify";
import { DomainError } from "../domain-error.ts";
import type { ApiCaller, Authenticator } from "./authentication.ts";
import { statusOf } from "./error-codes.ts";
import type { Guard } from "./guard.ts";
import type { IdempotencyStart } from "./idempotency.ts";
import type { RateLimitDecision, RateLimiter } from "./rate-limit/index.ts";
import type { RouteDefinition } from "./route.ts";
import type { Scope } from "./scopes.ts";

/** Failed authentications that one client address may have in a minute. */
const FAILURES_PER_MINUTE = 60;

export interface ApiGuardDeps {
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  beginIdempotent: (
    scope: Parameters<NonNullable<Guard<ApiCaller>["idempotency"]>>[1] & {
      organizationId: string;
      keyId: string;
    },
    body: unknown,
  ) => Promise<IdempotencyStart>;
  /** Told of every admitted request, for `last_used_at` and the sandbox's retention. */
  onUse(caller: ApiCaller): void;
  onRateLimited(): void;
}

/** The public API's guard: key, then rate limit, then scope; or a resource's own token. */
export function createApiGuard(deps: ApiGuardDeps): Guard<ApiCaller> {
  const refuse = (retryAfterSeconds: number, message: string) => {
    deps.onRateLimited();
    return new DomainError("rate_limited", message, { retry_after_seconds: retryAfterSeconds });
  };
  /** Refuses with what was wrong, or with 429 when the address has been wrong too often. */
  const countFailure = async (error: unknown, address: string): Promise<never> => {
    if (error instanceof DomainError && (statusOf(error.code) ?? 500) < 500) {
      const failures = await deps.rateLimiter.take(`address:${address}`, FAILURES_PER_MINUTE);
      if (!failures.allowed) {
        throw refuse(failures.retryAfterSeconds, "Too many failed authentications from this address.");
      }
    }
    throw error;
  };
  /** A token of the resource's own instead of a key: there is no caller then. */
  const admitToken = async (route: RouteDefinition<ApiCaller>, request: FastifyRequest) => {
    const token = /^Bearer[ \t]+(\S+)[ \t]*$/i.exec(request.headers.authorization ?? "")?.[1];
    try {
      if (token === undefined) {
        throw new DomainError("unauthenticated", "Send the access token as `Authorization: Bearer <token>`.");
      }
      await route.checkToken!(token, request.params as Record<string, string>);
    } catch (error) {
      return countFailure(error, request.ip);
    }
    return undefined as unknown as ApiCaller;
  };
  return {
    admit(route, request, reply) {
      if (route.access === "public" || route.access === "signature") return undefined as unknown as ApiCaller;
      if (route.access === "token") return admitToken(route, request);
      const identified = (caller: ApiCaller) => {
        // Set before the rate limit is checked, so that the log can name the key also when it refuses.
        request.state.caller = caller;
        const decision = deps.rateLimiter.take(`key:${caller.keyId}`, caller.rateLimitPerMinute);
        return decision instanceof Promise
          ? decision.then((decided) => allow(caller, decided))
          : allow(caller, decision);
      };
      const allow = (caller: ApiCaller, decision: RateLimitDecision) => {
        const { rateLimitPerMinute } = caller;
        reply.header("x-ratelimit-limit", rateLimitPerMinute);
        reply.header("x-ratelimit-remaining", decision.remaining);
        if (!decision.allowed) {
          throw refuse(
            decision.retryAfterSeconds,
            `This key may make ${rateLimitPerMinute} requests a minute. Wait ${decision.retryAfterSeconds} s.`,
          );
        }
        deps.onUse(caller);
        if (route.access !== "any_key" && !caller.scopes.has(route.access as Scope)) {
          throw new DomainError("insufficient_scope", `This key lacks the scope ${route.access}.`, {
            required: route.access,
          });
        }
        return caller;
      };
      try {
        const caller = deps.authenticator.authenticate(request.headers);
        return caller instanceof Promise
          ? caller.catch((error: unknown) => countFailure(error, request.ip)).then(identified)
          : identified(caller);
      } catch (error) {
        if (request.state.caller !== undefined) throw error;
        return countFailure(error, request.ip);
      }
    },
    async checkSignature(route, request) {
      try {
        const { headers, url } = request;
        route.checkSignature!({ headers, url, body: request.body as Buffer });
      } catch (error) {
        await countFailure(error, request.ip);
      }
    },
    allowWrite(caller) {
      if (caller.organizationStatus !== "active") {
        throw new DomainError(
          "organization_not_active",
          "The organization is suspended: it can read, but not write.",
        );
      }
    },
    addLogFields(caller, line) {
      line.organization_id = caller.organizationId;
      line.key_id = caller.keyId;
    },
    idempotency: (caller, scope, body) =>
      deps.beginIdempotent({ ...scope, organizationId: caller.organizationId, keyId: caller.keyId }, body),
  };
}
