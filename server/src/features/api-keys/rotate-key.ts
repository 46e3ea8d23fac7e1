import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { IssuedApiKey } from "./api-keys.schema.ts";
import * as sql from "./api-keys.sql.ts";
import { issueKey } from "./issue-key.ts";
import { lockKey } from "./lock-key.ts";
import { type KeyRow, keyStatus } from "./present-key.ts";
import type { ChangeKeyDeps } from "./revoke-key.ts";

/**
 * Makes a key that takes another's place: it has the same name, scopes, rate limit and expiry, for a rotation renews the
 * secret and grants nothing new. The old key stops at once, or `overlapMinutes` from now.
 * @throws DomainError organization_not_found, not_found,
 *   conflict (the key is revoked or expired, or has been rotated before: its successor is the one to rotate)
 */
export async function rotateKey(
  deps: ChangeKeyDeps,
  input: { organizationId: string; keyId: string; actor: string; overlapMinutes?: number | undefined },
): Promise<IssuedApiKey> {
  const organization = await readOrganization(deps, input.organizationId);
  const overlapMinutes = input.overlapMinutes ?? 0;
  return deps.database.transaction(async (transaction) => {
    const old = await lockKey(transaction, input);
    const now = deps.clock.now();
    refuseUnlessCurrent(old, now);
    const stopsAt = timestamp(now + overlapMinutes * 60_000);
    const issued = await issueKey(deps, transaction, {
      organization,
      name: old.name,
      scopes: old.scopes,
      rateLimitPerMinute: old.rate_limit_per_minute,
      expiresAt: old.expires_at,
      rotatedFrom: old.id,
    });
    await transaction.query({ ...sql.setRevokedAt, values: [organization.id, old.id, stopsAt] });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "api_key.rotated",
      subjectType: "api_key",
      subjectId: old.id,
      details: { name: old.name, new_key_id: issued.id, overlap_minutes: overlapMinutes, stops_at: stopsAt },
    });
    transaction.afterCommit(() => deps.keysChanged(organization.id));
    return issued;
  });
}

function refuseUnlessCurrent(key: KeyRow, now: number): void {
  const status = keyStatus(key, now);
  if (status !== "active") throw new DomainError("conflict", `The key is ${status}: it can't be rotated.`);
  if (key.revoked_at !== null) {
    throw new DomainError(
      "conflict",
      `The key was rotated before and stops at ${key.revoked_at}. Rotate the key that took its place.`,
    );
  }
}
