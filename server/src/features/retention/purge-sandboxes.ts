import type { Clock } from "../../clock.ts";
import { timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { recordAudit } from "../audit/index.ts";
import * as sql from "./retention.sql.ts";
import { SANDBOX_IDLE_MS, sandboxRules } from "./retention-rules.sql.ts";
import { drain, inBatch, type Pass, sweep } from "./sweep.ts";

/**
 * A use is known to the database a minute late. What was made or changed in the last moments stays, so that whoever
 * comes back just as the sandbox is found idle loses nothing of what they did since.
 */
const SPARED_MS = 120_000;

/**
 * Empties sandboxes that were not used for 90 days.
 *
 *   (nothing) ──idle, and has something to lose──▶ marked ──emptied──▶ (nothing)
 *
 * The mark is stored: what was begun is ended, also by the next janitor and also when the sandbox is used meanwhile.
 * @returns how many rows were removed
 */
export async function purgeIdleSandboxes(pass: Pass & { clock: Clock; newId: NewId }): Promise<number> {
  const now = pass.clock.now();
  await inBatch(
    pass,
    sql.markIdleSandboxes(sandboxRules, {
      idleSince: timestamp(now - SANDBOX_IDLE_MS),
      before: timestamp(now - SPARED_MS),
    }),
  );
  const marked = await inBatch<{ organization_id: string; before: string }>(pass, sql.sandboxesToPurge);
  let total = 0;
  for (const { organization_id: organizationId, before } of marked) {
    const removed: Record<string, number> = {};
    for (const rule of sandboxRules) {
      removed[rule.what] = rule.key
        ? await drain(pass, rule, { organizationId, before })
        : await sweep(pass, rule, { organizationId, belowId: null, before });
      total += removed[rule.what]!;
    }
    await pass.database.transaction(async (transaction) => {
      const unmarked = await transaction.query({ ...sql.unmarkSandbox, values: [organizationId] });
      if (unmarked.length === 0) return;
      await recordAudit(pass, transaction, {
        organizationId,
        actor: "janitor",
        action: "organization.sandbox_purged",
        subjectType: "organization",
        subjectId: organizationId,
        details: { removed },
      });
    });
  }
  return total;
}
