import type { Clock } from "../../clock.ts";
import { timestamp } from "../../database/database.ts";
import { lowestIdAt } from "./lowest-id.ts";
import * as sql from "./retention.sql.ts";
import type { AgedRule } from "./retention-rules.sql.ts";
import { drain, inBatch, type Pass, sweep } from "./sweep.ts";

const ORGANIZATIONS_AT_ONCE = 500;

/**
 * Removes what the rule has let age, of all organizations.
 * @returns how many rows were removed
 */
export async function removeAged(pass: Pass & { clock: Clock }, rule: AgedRule): Promise<number> {
  const cutoff = pass.clock.now() - rule.keepMs;
  const before = timestamp(cutoff);
  // Without an id there is nothing to scan by; the rule's own index finds the rows.
  if (rule.key) return drain(pass, rule, { organizationId: null, before });

  const belowId = lowestIdAt(cutoff);
  let removed = 0;
  for (let after: string | null = null; ; ) {
    const page: { organization_id: string; has_rows: boolean }[] = await inBatch(
      pass,
      sql.organizationsWith(rule, { after, belowId, limit: ORGANIZATIONS_AT_ONCE }),
    );
    for (const { organization_id: organizationId, has_rows } of page) {
      if (has_rows) removed += await sweep(pass, rule, { organizationId, belowId, before });
    }
    if (page.length < ORGANIZATIONS_AT_ONCE) return removed;
    after = page.at(-1)!.organization_id;
  }
}
