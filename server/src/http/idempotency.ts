import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import { type Database, type Queryable, timestamp } from "../database/database.ts";
import { DomainError } from "../domain-error.ts";
import * as sql from "./idempotency.sql.ts";

/** How long an answer is remembered. */
const REMEMBERED_MS = 24 * 3_600_000;
/** A record left running this long belongs to a process that died. */
const ABANDONED_AFTER_MS = 60_000;
const KEY = /^[\x20-\x7e]{1,255}$/;

/** An idempotency key counts per API key, method and path. */
export interface IdempotencyScope {
  organizationId: string;
  keyId: string;
  method: string;
  path: string;
  key: string;
}

/** Names a claim, for another process of the service to store its answer. Plain JSON. */
export interface ClaimReference {
  where: string[];
  claimId: string;
}

/** Stores the answer to a request, in the transaction of the write that its key guards. */
export interface RememberAnswer {
  (on: Queryable, status: number, body: unknown): Promise<void>;
  readonly claim: ClaimReference;
}

/** A claimed key: exactly one of the three ends it. */
export interface IdempotencyClaim {
  /** Stores the answer, in the transaction of the write it guards. */
  remember: RememberAnswer;
  /** Stores an answer that wrote nothing. Does nothing when one is stored already. */
  rememberRefusal(status: number, body: unknown): Promise<void>;
  /** Forgets the request, so that a retry runs again. Does nothing when an answer is stored already. */
  release(): Promise<void>;
}

export type IdempotencyStart =
  | { kind: "claimed"; claim: IdempotencyClaim }
  | { kind: "replay"; status: number; body: unknown };

/** @throws DomainError invalid_idempotency_key */
export function readIdempotencyKey(header: string | string[]): string {
  const key = Array.isArray(header) ? header.join(", ") : header;
  if (KEY.test(key)) return key;
  throw new DomainError(
    "invalid_idempotency_key",
    "Idempotency-Key must be 1 to 255 printable ASCII characters.",
  );
}

/**
 * Claims the key, or finds the answer it already has.
 * @throws DomainError idempotency_in_progress, idempotency_key_reused
 */
export async function beginIdempotent(
  deps: { database: Database; clock: Clock },
  scope: IdempotencyScope,
  body: unknown,
): Promise<IdempotencyStart> {
  const hash = createHash("sha256").update(canonicalJson(body)).digest();
  const where = [scope.organizationId, scope.keyId, scope.method, scope.path, scope.key];
  const claimId = randomUUID();
  const now = deps.clock.now();
  const claimed = await deps.database.query({
    ...sql.claim,
    values: [
      ...where,
      hash,
      claimId,
      timestamp(now),
      timestamp(now - ABANDONED_AFTER_MS),
      timestamp(now - REMEMBERED_MS),
    ],
  });
  if (claimed.length > 0) return { kind: "claimed", claim: claimOf(deps.database, where, claimId) };

  const [known] = await deps.database.query<{
    request_hash: Buffer;
    state: "running" | "done";
    status_code: number | null;
    body: string | null;
  }>({ ...sql.read, values: where });
  if (known && !known.request_hash.equals(hash)) {
    throw new DomainError(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another body. Use a new key for a new request.",
    );
  }
  if (known?.state === "done") {
    return { kind: "replay", status: known.status_code!, body: JSON.parse(known.body!) };
  }
  throw inProgress();
}

function claimOf(database: Database, where: string[], claimId: string): IdempotencyClaim {
  let remembered = false;
  const claim = { where, claimId };
  const store = async (on: Queryable, status: number, body: unknown) => {
    await rememberAnswer(on, claim, status, body);
    remembered = true;
  };
  return {
    remember: Object.assign(store, { claim }),
    rememberRefusal: async (status, body) => {
      if (!remembered) await store(database, status, body);
    },
    // Also after a `remember` whose transaction rolled back: the statement only meets a record still running.
    release: async () => {
      await database.query({ ...sql.release, values: [...where, claimId] });
    },
  };
}

/**
 * Stores the answer of a claim, whichever process has claimed it.
 * @throws DomainError idempotency_in_progress when the claim has been given up, or another request has taken the key over
 */
export async function rememberAnswer(
  on: Queryable,
  { where, claimId }: ClaimReference,
  status: number,
  body: unknown,
): Promise<void> {
  const rows = await on.query({
    ...sql.remember,
    values: [...where, claimId, status, JSON.stringify(body)],
  });
  if (rows.length === 0) throw inProgress();
}

function inProgress(): DomainError {
  return new DomainError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Retry in a second.",
  );
}

/** JSON with the keys of every object in order, so that two bodies of equal value have equal text. */
function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
}
