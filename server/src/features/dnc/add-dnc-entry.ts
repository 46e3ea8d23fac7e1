import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import { readOrganization } from "../organizations/index.ts";
import { canonicalNumber } from "./canonical-number.ts";
import type { DncEntry } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

export interface DncDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
}

/**
 * Puts a number on the organization's do-not-call list. A number that is listed keeps its first entry, which says since
 * when and why it must not be called.
 * @throws DomainError invalid_phone_number, organization_not_found
 */
export async function addDncEntry(
  deps: DncDeps,
  input: { organizationId: string; actor: string; phoneNumber: string; reason?: string | null | undefined },
): Promise<{ entry: DncEntry; added: boolean }> {
  const phoneNumber = canonicalNumber(input.phoneNumber);
  const organization = await readOrganization(deps, input.organizationId);
  return deps.database.transaction(async (transaction) => {
    const values = [organization.id, phoneNumber];
    for (;;) {
      const [added] = await transaction.query<DncEntry>({
        ...sql.insertEntry,
        values: [...values, input.reason ?? null, "operator", input.actor, timestamp(deps.clock.now())],
      });
      if (added) {
        await recordAudit(deps, transaction, {
          organizationId: organization.id,
          actor: input.actor,
          action: "dnc_entry.added",
          subjectType: "dnc_entry",
          subjectId: phoneNumber,
          details: { reason: added.reason, source: added.source },
        });
        return { entry: added, added: true };
      }
      const [entry] = await transaction.query<DncEntry>({ ...sql.readEntry, values });
      if (entry) return { entry, added: false };
      // It was removed between the two statements: add it after all.
    }
  });
}
