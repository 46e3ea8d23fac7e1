import type { Statement } from "../../database/database.ts";
import type { Rule } from "./retention-rules.sql.ts";

// None of these is prepared: a plan made while a table was small would be kept for when it is large.

/**
 * For the transaction it runs in: every row is sought by an index, one at a time. All that the janitor asks for has that
 * shape, but the planner is led astray by tables of which one organization has nearly all and by tables that were never
 * analyzed: it read 60,000 events once for each of 2,000 organizations that had none (page of 500: 1,000 ms, so 4 ms),
 * and sorted all that was left for each batch (50 ms, so 8 ms). Without `jit`, which compiled every one of them.
 */
export const seekByIndex = {
  text: `SELECT set_config(name, 'off', true)
         FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit']) AS name`,
};

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * The next organizations in the order of their ids, and whether each has rows of the table that are old enough to be
 * looked at. Runs across organizations.
 */
export function organizationsWith(
  rule: Rule,
  range: { after: string | null; belowId: string; limit: number },
): Statement {
  return {
    text: `
      SELECT page.organization_id, EXISTS (
        SELECT FROM ${rule.table} AS aged WHERE aged.organization_id = page.organization_id AND aged.id < $2
      ) AS has_rows
      FROM (
        SELECT organization_id FROM organizations WHERE organization_id > $1 ORDER BY organization_id LIMIT $3
      ) AS page
      ORDER BY page.organization_id`,
    values: [range.after ?? FIRST_ID, range.belowId, range.limit],
  };
}

export interface ScanRange {
  organizationId: string;
  /** Rows up to this id have been looked at. */
  afterId: string | null;
  /** Rows from this id on are too young; null: none is. */
  belowId: string | null;
  /** `$before` of the rule. */
  before: string;
  limit: number;
}

/**
 * Looks at the next rows of an organization and removes those that the rule names. `seen` rows were looked at, the last
 * of them is `last_id`. Several janitors at once pass over what another one holds.
 */
export function removeNext(rule: Rule, range: ScanRange): Statement {
  const condition = rule.condition
    .replaceAll("$before", "$4::timestamptz")
    .replaceAll("$organization", "$1::uuid");
  return {
    text: `
      WITH seen AS MATERIALIZED (
        SELECT id FROM ${rule.table} WHERE organization_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $5
      ), doomed AS MATERIALIZED (
        SELECT aged.id FROM ${rule.table} AS aged
        WHERE aged.organization_id = $1 AND aged.id = ANY (ARRAY(SELECT id FROM seen)) AND ${condition}
        FOR UPDATE OF aged SKIP LOCKED
      ), gone AS (
        DELETE FROM ${rule.table} AS aged
        WHERE aged.organization_id = $1 AND aged.id = ANY (ARRAY(SELECT id FROM doomed))
        RETURNING aged.id
      )
      SELECT (SELECT count(*)::int FROM seen) AS seen,
             (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS last_id,
             (SELECT count(*)::int FROM gone) AS removed`,
    values: [
      range.organizationId,
      range.afterId ?? FIRST_ID,
      range.belowId ?? LAST_ID,
      range.before,
      range.limit,
    ],
  };
}

/** Removes rows that the rule names, where it names nearly all there are: of one organization, or (null) across all. */
export function removeSome(
  rule: Rule,
  range: { organizationId: string | null; before: string; limit: number },
): Statement {
  const key = ["organization_id", ...(rule.key ?? ["id"])];
  return {
    text: `
      WITH doomed AS MATERIALIZED (
        SELECT ${key.map((column) => `aged.${column}`).join(", ")} FROM ${rule.table} AS aged
        WHERE ($3::uuid IS NULL OR aged.organization_id = $3) AND ${rule.condition.replaceAll("$before", "$1::timestamptz")}
        LIMIT $2
        FOR UPDATE OF aged SKIP LOCKED
      ), gone AS (
        DELETE FROM ${rule.table} AS aged USING doomed
        WHERE ${key.map((column) => `aged.${column} = doomed.${column}`).join(" AND ")}
        RETURNING aged.organization_id
      )
      SELECT count(*)::int AS removed FROM gone`,
    values: [range.before, range.limit, range.organizationId],
  };
}

/**
 * Marks the sandboxes that were not used since `idleSince` and have something to lose: what they have from before
 * `before` is to go, also when they are used again in the middle of it. Runs across organizations.
 */
export function markIdleSandboxes(
  rules: readonly Rule[],
  values: { idleSince: string; before: string },
): Statement {
  const hasRows = rules.map(
    ({ table }) => `EXISTS (SELECT FROM ${table} WHERE ${table}.organization_id = o.organization_id)`,
  );
  return {
    text: `
      UPDATE organizations AS o SET sandbox_purge_before = $2
      WHERE o.sandbox AND o.last_api_activity_at < $1 AND o.sandbox_purge_before IS NULL AND (${hasRows.join(" OR ")})`,
    values: [values.idleSince, values.before],
  };
}

/** Runs across organizations. */
export const sandboxesToPurge: Statement = {
  text: `SELECT organization_id, sandbox_purge_before AS before FROM organizations
         WHERE sandbox_purge_before IS NOT NULL ORDER BY organization_id`,
};

/** $1 organization. No row comes back when another janitor was first. */
export const unmarkSandbox = {
  text: `UPDATE organizations SET sandbox_purge_before = NULL
         WHERE organization_id = $1 AND sandbox_purge_before IS NOT NULL
         RETURNING organization_id`,
};
