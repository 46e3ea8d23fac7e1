import { DomainError } from "../../domain-error.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import type { DncDeps } from "./add-dnc-entry.ts";
import { canonicalNumber } from "./canonical-number.ts";
import type { DncEntry, DncRemoved } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

/**
 * Takes a number off the list. The audit log keeps who did it and why, and what the entry said.
 * @throws DomainError invalid_phone_number, organization_not_found, not_found
 */
export async function removeDncEntry(
  deps: DncDeps,
  input: { organizationId: string; actor: string; phoneNumber: string; reason?: string | undefined },
): Promise<DncRemoved> {
  const phoneNumber = canonicalNumber(input.phoneNumber);
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const [removed] = await transaction.query<DncEntry>({
      ...sql.deleteEntry,
      values: [organization.id, phoneNumber],
    });
    if (!removed) throw new DomainError("not_found", "The number is not on the do-not-call list.");
    await recordAudit(deps, transaction, {
      organizationId: organization.id,
      actor: input.actor,
      action: "dnc_entry.removed",
      subjectType: "dnc_entry",
      subjectId: phoneNumber,
      details: {
        reason: input.reason ?? null,
        // The entry is gone: what it said stays here.
        entry: {
          reason: removed.reason,
          source: removed.source,
          added_by: removed.added_by,
          created_at: removed.created_at,
        },
      },
    });
    return { id: phoneNumber, phone_number: phoneNumber, deleted: true };
  });
}
