import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { readScopes, SCOPES, type Scope } from "../../http/scopes.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import * as sql from "./api-keys.sql.ts";
import { makeKey } from "./make-key.ts";

export const DEFAULT_RATE_LIMIT = 60;

export interface ApiKey {
  id: string;
  organization_id: string;
  name: string;
  key_prefix: string;
  scopes: Scope[];
  rate_limit_per_minute: number;
  expires_at: string | null;
  revoked_at: string | null;
  rotated_from: string | null;
  last_used_at: string | null;
  created_at: string;
}

export interface CreateKeyInput {
  organizationId: string;
  actor: string;
  name: string;
  /** Default: every scope. */
  scopes?: readonly string[] | undefined;
  rateLimitPerMinute?: number | undefined;
  /** Milliseconds since the epoch; in the past is accepted. */
  expiresAt?: number | null | undefined;
}

/**
 * Makes a key. The answer is the only time that its text is shown.
 * @throws DomainError organization_not_found, unknown_scope:<name>
 */
export async function createKey(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: CreateKeyInput,
): Promise<ApiKey & { key: string }> {
  const scopes = input.scopes ? readScopes(input.scopes) : [...SCOPES];
  if (scopes.length === 0) throw new DomainError("invalid_request", "A key needs at least one scope.");
  const organization = await readOrganization(deps, input.organizationId);
  const { key, hash, prefix } = makeKey(organization.sandbox);
  const created: ApiKey = {
    id: deps.newId(),
    organization_id: input.organizationId,
    name: input.name,
    key_prefix: prefix,
    scopes,
    rate_limit_per_minute: input.rateLimitPerMinute ?? DEFAULT_RATE_LIMIT,
    expires_at: typeof input.expiresAt === "number" ? timestamp(input.expiresAt) : null,
    revoked_at: null,
    rotated_from: null,
    last_used_at: null,
    created_at: timestamp(deps.clock.now()),
  };
  await deps.database.transaction(async (transaction) => {
    await transaction.query({
      ...sql.insertKey,
      values: [
        created.organization_id,
        created.id,
        created.name,
        hash,
        prefix,
        scopes,
        created.rate_limit_per_minute,
        created.expires_at,
        null,
        created.created_at,
      ],
    });
    await recordAudit(deps, transaction, {
      organizationId: input.organizationId,
      actor: input.actor,
      action: "api_key.created",
      subjectType: "api_key",
      subjectId: created.id,
      details: {
        name: created.name,
        scopes,
        rate_limit_per_minute: created.rate_limit_per_minute,
        expires_at: created.expires_at,
      },
    });
  });
  return { ...created, key };
}
