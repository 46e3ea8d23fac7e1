import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import * as sql from "./audit.sql.ts";

export interface AuditEntry {
  organizationId: string;
  /** Who did it: `operator`, or a name the operator's client gave. */
  actor: string;
  /** What was done, as `<subject>.<verb>`: `api_key.created`. */
  action: string;
  subjectType: string;
  subjectId: string;
  /** What an auditor needs to know. No secrets. */
  details?: Readonly<Record<string, unknown>>;
}

/** Writes the entry in the transaction of the change it records. */
export async function recordAudit(
  deps: { clock: Clock; newId: NewId },
  on: Queryable,
  entry: AuditEntry,
): Promise<void> {
  await on.query({
    ...sql.recordAudit,
    values: [
      entry.organizationId,
      deps.newId(),
      entry.actor,
      entry.action,
      entry.subjectType,
      entry.subjectId,
      JSON.stringify(entry.details ?? {}),
      timestamp(deps.clock.now()),
    ],
  });
}

/** Writes an entry for each of many subjects that the same was done to, in one statement. */
export async function recordAudits(
  deps: { clock: Clock; newId: NewId },
  on: Queryable,
  done: Omit<AuditEntry, "subjectId" | "details">,
  subjects: readonly { subjectId: string; details: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  if (subjects.length === 0) return;
  await on.query({
    ...sql.recordAudits,
    values: [
      done.organizationId,
      subjects.map(() => deps.newId()),
      done.actor,
      done.action,
      done.subjectType,
      subjects.map(({ subjectId }) => subjectId),
      subjects.map(({ details }) => JSON.stringify(details)),
      timestamp(deps.clock.now()),
    ],
  });
}
