import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Statement } from "../../database/database.ts";
import * as sql from "./retention.sql.ts";
import type { Rule } from "./retention-rules.sql.ts";

/** What one pass of the janitor works with. */
export interface Pass {
  database: Database;
  /** Aborts when the service stops: the pass then throws after the statement that is running. */
  signal: AbortSignal;
  /** Rows that one statement looks at. */
  batchSize: number;
}

const SHORTEST_PAUSE_MS = 5;

/**
 * Removes what the rule names of an organization's rows, batch after batch, each looking at the rows after the last.
 * @returns how many rows were removed
 */
export async function sweep(
  pass: Pass,
  rule: Rule,
  range: { organizationId: string; belowId: string | null; before: string },
): Promise<number> {
  let removed = 0;
  for (let afterId: string | null = null; ; ) {
    const { batchSize: limit } = pass;
    const [batch]: { seen: number; last_id: string | null; removed: number }[] = await inBatch(
      pass,
      sql.removeNext(rule, { ...range, afterId, limit }),
    );
    removed += batch!.removed;
    afterId = batch!.last_id;
    if (batch!.seen < limit) return removed;
  }
}

/** The same for a rule that names nearly every row of its table, which needs no place to go on from. */
export async function drain(
  pass: Pass,
  rule: Rule,
  range: { organizationId: string | null; before: string },
): Promise<number> {
  let removed = 0;
  for (;;) {
    const { batchSize: limit } = pass;
    const [batch] = await inBatch<{ removed: number }>(pass, sql.removeSome(rule, { ...range, limit }));
    removed += batch!.removed;
    if (batch!.removed < limit) return removed;
  }
}

/**
 * Runs one statement, then pauses for as long as it took, so that removing keeps at most one connection half busy
 * whatever there is to remove. Real time: it is about sparing the database.
 */
export async function inBatch<Row>({ database, signal }: Pass, statement: Statement): Promise<Row[]> {
  signal.throwIfAborted();
  const begun = performance.now();
  const rows = await database.transaction(async (transaction) => {
    await transaction.query(sql.seekByIndex);
    return transaction.query<Row>(statement);
  });
  await sleep(Math.max(SHORTEST_PAUSE_MS, performance.now() - begun), undefined, { signal });
  return rows;
}
