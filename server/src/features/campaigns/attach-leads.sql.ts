/**
 * Both lock in the order in which leads are written everywhere, so that they can't deadlock with an import. Arrays and not joins,
 * which the planner would make of whole tables where it doesn't know their size yet.
 */
const attached = `
  UPDATE leads AS lead SET campaign_id = $2, version = lead.version + 1, updated_at = $3
  WHERE lead.organization_id = $1 AND lead.id = ANY(ARRAY(SELECT id FROM locked))
  RETURNING lead.status IN ('new', 'pending') AS to_dial`;

/**
 * What a batch of leads holds that a filter finds, and where the batch ends: the next one begins behind it. By id and not by
 * what is filtered, so that a rare value costs no more than a frequent one.
 * $1 organization, $2 campaign, $3 now, $4 after this id or null, $5 leads at most, $6 status or null, $7 source tag or null,
 * $8 whether the campaign they are in counts, $9 that campaign, null: none, $10 whether their consent must be known
 */
export const attachBatch = {
  name: "campaign-attach-batch",
  text: `
    WITH batch AS (
      SELECT id FROM leads WHERE organization_id = $1 AND id > coalesce($4::uuid, '00000000-0000-0000-0000-000000000000')
      ORDER BY id LIMIT $5
    ), locked AS (
      SELECT lead.id FROM leads AS lead
      WHERE lead.organization_id = $1 AND lead.id = ANY(ARRAY(SELECT id FROM batch))
        AND lead.campaign_id IS DISTINCT FROM $2
        AND ($6::text IS NULL OR lead.status = $6)
        AND ($7::text IS NULL OR lead.source_tag = $7)
        AND (NOT $8::boolean OR lead.campaign_id IS NOT DISTINCT FROM $9::uuid)
        AND (NOT $10::boolean OR lead.consented_at IS NOT NULL)
      ORDER BY lead.phone_number FOR NO KEY UPDATE
    ), attached AS (${attached})
    SELECT (SELECT count(*)::int FROM batch) AS looked_at,
      (SELECT id FROM batch ORDER BY id DESC LIMIT 1) AS last_id,
      (SELECT count(*)::int FROM attached) AS attached,
      (SELECT count(*)::int FROM attached WHERE to_dial) AS to_dial`,
};

/** Of leads named by their ids: how many there are, and how many of them weren't there yet. $4 ids */
export const attachNamed = {
  name: "campaign-attach-named",
  text: `
    WITH locked AS (
      SELECT id FROM leads
      WHERE organization_id = $1 AND id = ANY($4::uuid[]) AND campaign_id IS DISTINCT FROM $2
      ORDER BY phone_number FOR NO KEY UPDATE
    ), attached AS (${attached})
    SELECT (SELECT count(*)::int FROM leads WHERE organization_id = $1 AND id = ANY($4::uuid[])) AS looked_at,
      (SELECT count(*)::int FROM attached) AS attached,
      (SELECT count(*)::int FROM attached WHERE to_dial) AS to_dial`,
};
