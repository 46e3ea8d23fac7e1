/** What is asked of processes that run calls. */

/** Processes are every organization's. */
const OF_ALL = "organization_id = '00000000-0000-0000-0000-000000000000'";

/** $1 process, $2 state, $3 now */
export const reportProcess = {
  name: "voice-process-report",
  text: `
    INSERT INTO voice_processes AS process (id, state, seen_at, beats) VALUES ($1, $2, $3, 1)
    ON CONFLICT (organization_id, id) DO UPDATE
      SET state = excluded.state, seen_at = excluded.seen_at, beats = process.beats + 1`,
};

/** $1 process */
export const removeProcess = {
  name: "voice-process-remove",
  text: `DELETE FROM voice_processes WHERE ${OF_ALL} AND id = $1`,
};

/** How many processes live, by state, but one. $1 that one or null, $2 seen after */
export const countProcesses = {
  name: "voice-processes-count",
  text: `
    SELECT count(*) FILTER (WHERE state = 'open')::int AS open, count(*) FILTER (WHERE state = 'full')::int AS full
    FROM voice_processes WHERE ${OF_ALL} AND id IS DISTINCT FROM $1::uuid AND seen_at > $2`,
};

/** $1 organization, $2 id, $3 kind, $4 the process it is for or null, $5 call or null, $6 payload, $7 now */
export const insertRequest = {
  name: "voice-request-insert",
  text: `
    INSERT INTO voice_requests (organization_id, id, kind, owner_id, call_id, payload, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};

/**
 * Across organizations: takes requests for this process, oldest first, and tells that it lives. $1 process, $2 whether it
 * takes calls, $3 how many, $4 asked after: who asked before is gone
 */
export const claimRequests = {
  name: "voice-requests-claim",
  text: `
    WITH waiting AS (
      SELECT organization_id, id FROM voice_requests
      WHERE claimed_by IS NULL AND created_at > $4 AND (owner_id = $1 OR (owner_id IS NULL AND $2))
      ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE voice_requests AS request SET claimed_by = $1 FROM waiting
      WHERE request.organization_id = waiting.organization_id AND request.id = waiting.id
      RETURNING request.organization_id, request.id, request.kind, request.call_id, request.payload
    )
    SELECT organization_id, id, kind, call_id, payload FROM claimed`,
};

/** How a request is doing: `beats` of the process that works on it, null when there is none. $1 organization, $2 id */
export const readRequest = {
  name: "voice-request-read",
  text: `
    SELECT claimed_by IS NOT NULL AS is_claimed, answer,
           (SELECT beats FROM voice_processes AS process
            WHERE process.${OF_ALL} AND process.id = request.claimed_by) AS beats
    FROM voice_requests AS request WHERE organization_id = $1 AND id = $2`,
};

/** In the transaction that stores the call. No row: nobody waits for it any more. $1 organization, $2 id, $3 process, $4 call */
export const noteCall = {
  name: "voice-request-note-call",
  text: `
    UPDATE voice_requests SET call_id = $4
    WHERE organization_id = $1 AND id = $2 AND claimed_by = $3 AND answer IS NULL
    RETURNING id`,
};

/** No row: nobody waits for it any more. $1 organization, $2 id, $3 process, $4 answer */
export const answerRequest = {
  name: "voice-request-answer",
  text: `
    UPDATE voice_requests SET answer = $4
    WHERE organization_id = $1 AND id = $2 AND claimed_by = $3 AND answer IS NULL
    RETURNING id`,
};

/** No row: it is answered. $1 organization, $2 id */
export const withdrawRequest = {
  name: "voice-request-withdraw",
  text: `
    DELETE FROM voice_requests WHERE organization_id = $1 AND id = $2 AND answer IS NULL
    RETURNING claimed_by IS NOT NULL AS is_claimed, call_id`,
};

/** $1 organization, $2 id */
export const removeRequest = {
  name: "voice-request-remove",
  text: "DELETE FROM voice_requests WHERE organization_id = $1 AND id = $2",
};

/** Across organizations: what processes that died have left. $1 requests asked before, $2 processes seen before */
export const removeLeft = {
  name: "voice-requests-remove-left",
  text: `
    WITH processes AS (DELETE FROM voice_processes WHERE ${OF_ALL} AND seen_at < $2)
    DELETE FROM voice_requests WHERE created_at < $1
    RETURNING kind`,
};
