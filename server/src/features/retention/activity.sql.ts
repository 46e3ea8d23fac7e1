/**
 * $1 organization ids, $2 key ids, $3 when each key was last used; ordered by both ids. Runs across organizations. Rows
 * are locked in one order, so that two processes that report at once don't deadlock; a time never goes back.
 */
export const recordActivity = {
  name: "activity-record",
  text: `
    WITH used AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS input (organization_id, id, at)
    ), keys AS MATERIALIZED (
      SELECT k.organization_id, k.id, used.at
      FROM api_keys AS k JOIN used USING (organization_id, id)
      WHERE k.last_used_at IS NULL OR k.last_used_at < used.at
      ORDER BY k.organization_id, k.id
      FOR NO KEY UPDATE OF k
    ), organizations_used AS MATERIALIZED (
      SELECT o.organization_id, latest.at
      FROM organizations AS o
      JOIN (SELECT organization_id, max(at) AS at FROM used GROUP BY organization_id) AS latest USING (organization_id)
      WHERE o.last_api_activity_at < latest.at
      ORDER BY o.organization_id
      FOR NO KEY UPDATE OF o
    ), keys_written AS (
      UPDATE api_keys AS k SET last_used_at = keys.at
      FROM keys WHERE k.organization_id = keys.organization_id AND k.id = keys.id
    )
    UPDATE organizations AS o SET last_api_activity_at = used.at
    FROM organizations_used AS used WHERE o.organization_id = used.organization_id`,
};
