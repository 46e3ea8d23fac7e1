/** What a link to a call's recording is made of. $1 organization, $2 call */
export const readForLink = {
  name: "recording-for-link",
  text: `
    SELECT o.link_secret, c.recording_key, c.recording_bytes
    FROM organizations AS o JOIN calls AS c USING (organization_id)
    WHERE o.organization_id = $1 AND c.id = $2`,
};

/** For a link that may not be genuine: also of a call that is gone. $1 organization, $2 call */
export const readForRequest = {
  name: "recording-for-request",
  text: `
    SELECT o.link_secret, c.recording_key
    FROM organizations AS o LEFT JOIN calls AS c ON c.organization_id = o.organization_id AND c.id = $2
    WHERE o.organization_id = $1`,
};

/**
 * Which of these recordings belong to calls that have ended, and which to none. Runs across organizations. $1 organization
 * ids, $2 call ids, $3 keys. A recording of an organization that isn't known is nobody's: it isn't answered.
 */
export const findCalls = {
  name: "recordings-calls",
  text: `
    SELECT kept.key, kept.organization_id, kept.call_id, c.id IS NULL AS call_is_gone, c.ended_at IS NOT NULL AS has_ended
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS kept (organization_id, call_id, key)
    JOIN organizations AS o USING (organization_id)
    LEFT JOIN calls AS c ON c.organization_id = kept.organization_id AND c.id = kept.call_id`,
};

/** $1 organization, $2 call, $3 key, $4 bytes */
export const setBytes = {
  name: "recording-set-bytes",
  text: `UPDATE calls SET recording_bytes = $4 WHERE organization_id = $1 AND id = $2 AND recording_key = $3`,
};
