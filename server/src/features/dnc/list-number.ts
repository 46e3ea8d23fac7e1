import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import type { DncEntry } from "./dnc.schema.ts";
import * as sql from "./dnc.sql.ts";

/**
 * Puts a number on the do-not-call list in a transaction of the caller's. One that is listed keeps its first entry.
 * @param input `phoneNumber` E.164; `reason` the evidence; `source` where it comes from; `actor` whose doing it is
 * @returns true when it wasn't listed
 */
export async function listNumberAsDnc(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  input: { organizationId: string; phoneNumber: string; reason: string; source: string; actor: string },
): Promise<boolean> {
  const { organizationId, phoneNumber, reason, source, actor } = input;
  const [added] = await transaction.query<DncEntry>({
    ...sql.insertEntry,
    values: [organizationId, phoneNumber, reason, source, actor, timestamp(deps.clock.now())],
  });
  if (!added) return false;
  await recordAudit(deps, transaction, {
    organizationId,
    actor,
    action: "dnc_entry.added",
    subjectType: "dnc_entry",
    subjectId: phoneNumber,
    details: { reason, source },
  });
  return true;
}
