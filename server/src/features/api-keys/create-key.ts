import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { readScopes, SCOPES } from "../../http/scopes.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import { DEFAULT_RATE_LIMIT, type IssuedApiKey } from "./api-keys.schema.ts";
import { issueKey } from "./issue-key.ts";

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
 * @throws DomainError organization_not_found, unknown_scope:<name>, invalid_request (no scope)
 */
export async function createKey(
  deps: { database: Database; clock: Clock; newId: NewId },
  input: CreateKeyInput,
): Promise<IssuedApiKey> {
  const scopes = input.scopes ? readScopes(input.scopes) : [...SCOPES];
  if (scopes.length === 0) throw new DomainError("invalid_request", "A key needs at least one scope.");
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const issued = await issueKey(deps, transaction, {
      organization,
      name: input.name,
      scopes,
      rateLimitPerMinute: input.rateLimitPerMinute ?? DEFAULT_RATE_LIMIT,
      expiresAt: typeof input.expiresAt === "number" ? timestamp(input.expiresAt) : null,
      rotatedFrom: null,
    });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "api_key.created",
      subjectType: "api_key",
      subjectId: issued.id,
      details: {
        name: issued.name,
        scopes,
        rate_limit_per_minute: issued.rate_limit_per_minute,
        expires_at: issued.expires_at,
      },
    });
    return issued;
  });
}
