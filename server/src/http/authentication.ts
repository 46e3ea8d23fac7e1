import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { DomainError } from "../domain-error.ts";
import type { Scope } from "./scopes.ts";

/** What a key stands for: its organization, and what it may do there. */
export interface ApiCaller {
  keyId: string;
  organizationId: string;
  organizationStatus: "active" | "suspended";
  sandbox: boolean;
  scopes: ReadonlySet<Scope>;
  rateLimitPerMinute: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** Finds a key by the SHA-256 of its text. */
export type FindKey = (hash: Buffer) => Promise<ApiCaller | null>;

export interface Authenticator {
  /**
   * Without a promise when the key was looked up a moment ago.
   * @throws DomainError with one of the contract's 401 codes, or auth_lookup_failed
   */
  authenticate(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): ApiCaller | Promise<ApiCaller>;
  /** Drops what is cached of an organization's keys, or of all. */
  forget(organizationId?: string): void;
}

type Found = ApiCaller | null;

interface Entry {
  until: number;
  caller: Promise<Found>;
  /** What the look-up found, once it has. */
  found: Found | undefined;
}

/** A revocation must take effect within 5 s in processes that were not told of it. */
const CACHE_MS = 2_000;
const CACHE_SIZE = 10_000;
const KEY = /^service_(live|test)_[0-9a-f]{64}$/;

export function createAuthenticator(deps: { findKey: FindKey; clock: Clock }): Authenticator {
  // Monotonic on purpose: what is cached ages in real time, however the service's clock is moved.
  const cache = new Map<string, Entry>();

  const lookUp = (key: string): Found | Promise<Found> => {
    const now = performance.now();
    const id = hash("sha256", key, "base64");
    const cached = cache.get(id);
    if (cached && cached.until > now) return cached.found === undefined ? cached.caller : cached.found;
    // The oldest entries stand first in a Map.
    if (cache.size >= CACHE_SIZE)
      for (const oldest of [...cache.keys()].slice(0, CACHE_SIZE / 10)) cache.delete(oldest);
    const caller = deps.findKey(Buffer.from(id, "base64"));
    const entry: Entry = { until: now + CACHE_MS, caller, found: undefined };
    cache.delete(id);
    cache.set(id, entry);
    caller.then(
      (found) => {
        entry.found = found;
      },
      () => {
        if (cache.get(id) === entry) cache.delete(id);
      },
    );
    return caller;
  };

  const valid = (caller: Found): ApiCaller => {
    if (!caller) throw new DomainError("invalid_api_key", "The API key is unknown.");
    const now = deps.clock.now();
    if (caller.revokedAt !== null && caller.revokedAt <= now) {
      throw new DomainError("revoked_api_key", "The API key has been revoked.");
    }
    if (caller.expiresAt !== null && caller.expiresAt <= now) {
      throw new DomainError("expired_api_key", "The API key has expired.");
    }
    return caller;
  };

  return {
    authenticate(headers) {
      const key = readCredential(headers);
      if (key === null) {
        throw new DomainError(
          "missing_api_key",
          "Send the API key as `Authorization: Bearer <API_KEY>` or as `X-Service-Api-Key: <API_KEY>`.",
        );
      }
      if (!KEY.test(key)) throw new DomainError("invalid_api_key", "The API key is unknown.");
      const found = lookUp(key);
      if (!(found instanceof Promise)) return valid(found);
      return found.then(valid, (cause: unknown) => {
        const error = new DomainError(
          "auth_lookup_failed",
          "The API key could not be looked up. Retry later.",
        );
        error.cause = cause;
        throw error;
      });
    },
    forget(organizationId) {
      if (organizationId === undefined) return cache.clear();
      for (const [id, { caller }] of cache) {
        void caller.then(
          (found) => {
            if (found === null || found.organizationId === organizationId) cache.delete(id);
          },
          () => {},
        );
      }
    },
  };
}

function readCredential(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const bearer = /^Bearer[ \t]+(\S.*?)[ \t]*$/i.exec(single(headers.authorization))?.[1];
  if (bearer) return bearer;
  return single(headers["x-service-api-key"]).trim() || null;
}

function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
