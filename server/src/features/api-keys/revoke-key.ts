import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { ApiKey } from "./api-keys.schema.ts";
import * as sql from "./api-keys.sql.ts";
import { lockKey } from "./lock-key.ts";
import { type KeyRow, presentKey } from "./present-key.ts";

export interface ChangeKeyDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  keysChanged(organizationId: string): void;
}

/**
 * Stops a key at once, also one whose rotation still let it run. A key that is revoked already stays as it is.
 * @throws DomainError organization_not_found, not_found
 */
export async function revokeKey(
  deps: ChangeKeyDeps,
  input: { organizationId: string; keyId: string; actor: string },
): Promise<ApiKey> {
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const key = await lockKey(transaction, input);
    const now = deps.clock.now();
    if (key.revoked_at !== null && Date.parse(key.revoked_at) <= now) return presentKey(key, now);
    const [revoked] = await transaction.query<KeyRow>({
      ...sql.setRevokedAt,
      values: [organization.id, key.id, timestamp(now)],
    });
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "api_key.revoked",
      subjectType: "api_key",
      subjectId: key.id,
      details: { name: key.name },
    });
    transaction.afterCommit(() => deps.keysChanged(organization.id));
    return presentKey(revoked!, now);
  });
}
