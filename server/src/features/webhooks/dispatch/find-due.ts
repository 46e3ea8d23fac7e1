import { type Database, timestamp } from "../../../database/database.ts";
import * as sql from "./dispatch.sql.ts";

export interface DueSubscription {
  organizationId: string;
  subscriptionId: string;
  /** False also when it was deleted. */
  enabled: boolean;
  consecutiveFailures: number;
}

export interface DueWork {
  due: DueSubscription[];
  /** Milliseconds since the epoch: when more comes due, or a lease on older work ends. Null when nothing is queued. */
  nextAt: number | null;
}

interface Row {
  organization_id: string | null;
  subscription_id: string;
  enabled: boolean | null;
  consecutive_failures: number | null;
  next_at: string | null;
}

/** Finds the subscriptions that have a due delivery which nobody has leased. */
export async function findDue(deps: { database: Database }, now: number): Promise<DueWork> {
  const rows = await deps.database.query<Row>({ ...sql.findDue, values: [timestamp(now)] });
  const due: DueSubscription[] = [];
  let nextAt: number | null = null;
  for (const row of rows) {
    if (row.organization_id === null) nextAt = row.next_at === null ? null : Date.parse(row.next_at);
    else
      due.push({
        organizationId: row.organization_id,
        subscriptionId: row.subscription_id,
        enabled: row.enabled === true,
        consecutiveFailures: row.consecutive_failures ?? 0,
      });
  }
  return { due, nextAt };
}

/** When the oldest due delivery came due (milliseconds since the epoch), or null when none is due. */
export async function findOldestDue(deps: { database: Database }, now: number): Promise<number | null> {
  const [row] = await deps.database.query<{ oldest_due_at: string | null }>({
    ...sql.oldestDue,
    values: [timestamp(now)],
  });
  return row?.oldest_due_at ? Date.parse(row.oldest_due_at) : null;
}
