import type { Statement } from "../../database/database.ts";
import { type CallStatus, callTransitions } from "../../voice/call-states.ts";

const summaryColumns = `c.id, c.call_sid, c.lead_id, c.campaign_id, c.agent_id, c.medium, c.to_number, c.from_number, c.status,
  c.call_outcome, c.disposition, c.duration_seconds, c.created_at, c.ended_at, c.recording_bytes`;

const columns = `${summaryColumns}, c.metadata, c.origin, c.carrier, c.answered_by, c.end_reason, c.call_template,
  c.template_context, c.rate_per_minute, c.cost_tokens, c.summary, c.transcript_status, c.recording_key, c.callback_at,
  c.initiated_at, c.answered_at`;

/** What decides whether a call may be started. $1 organization */
export const readTerms = {
  name: "call-terms",
  text: `
    SELECT status, voice_enabled, sandbox, timezone, phone_rate_per_minute, browser_rate_per_minute
    FROM organizations WHERE organization_id = $1`,
};

/**
 * How many calls the organization has, and how many it may have. Under the wallet's lock, which every start holds, so
 * that nobody starts another one in between. $1 organization
 */
export const countLive = {
  name: "calls-count-live",
  text: `
    SELECT concurrency_limit,
           (SELECT count(*)::int FROM calls WHERE organization_id = $1 AND ended_at IS NULL) AS live
    FROM organizations WHERE organization_id = $1`,
};

/**
 * $1 organization, $2 id, $3 origin, $4 medium, $5 lead, $6 agent, $7 carrier, $8 to, $9 from, $10 template, $11 context,
 * $12 metadata, $13 rate, $14 token hash, $15 token expires, $16 owner, $17 lease, $18 now, $19 campaign
 */
export const insertCall = {
  name: "call-insert",
  text: `
    WITH inserted AS (
      INSERT INTO calls AS c (organization_id, id, origin, medium, lead_id, agent_id, carrier, to_number, from_number, status,
        call_template, template_context, metadata, rate_per_minute, transcript_status, access_token_hash,
        access_token_expires_at, owner_id, lease_until, created_at, campaign_id)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'initiating', $10, $11, $12, $13, 'pending', $14, $15, $16, $17, $18, $19)
    )
    INSERT INTO call_transitions (organization_id, call_id, number, status, at) VALUES ($1, $2, 1, 'initiating', $18)`,
};

/** $1 organization, $2 call, $3 sid, $4 the carrier that took it */
export const acceptCall = {
  name: "call-accept",
  text: "UPDATE calls SET call_sid = $3, carrier = $4 WHERE organization_id = $1 AND id = $2",
};

/**
 * Moves a live call. No row: the move isn't one that call-states.ts knows, or the call has ended.
 * $1 organization, $2 call, $3 status, $4 at, $5 the statuses it may come from
 */
export const moveCall = {
  name: "call-move",
  text: `
    WITH moved AS (
      UPDATE calls SET status = $3,
        initiated_at = CASE WHEN $3 = 'initiated' THEN $4::timestamptz ELSE initiated_at END,
        answered_at = CASE WHEN $3 = 'in-progress' THEN $4::timestamptz ELSE answered_at END
      WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL AND status = ANY ($5::text[])
      RETURNING organization_id, id
    )
    INSERT INTO call_transitions (organization_id, call_id, number, status, at)
    SELECT $1, $2, 1 + (SELECT max(number) FROM call_transitions WHERE organization_id = $1 AND call_id = $2), $3, $4
    FROM moved
    RETURNING number`,
};

/** $1 organization, $2 call, $3 human, machine or unknown */
export const classifyCall = {
  name: "call-classify",
  text: "UPDATE calls SET answered_by = $3 WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL",
};

/** Of a live call only: what is finished stays as it was told. Once, however often. $1 organization, $2 call, $3 … the turn */
export const insertTurn = {
  name: "call-turn-insert",
  text: `
    INSERT INTO call_turns (organization_id, call_id, number, role, source, text, start_ms, end_ms)
    SELECT organization_id, id, $3, $4, $5, $6, $7, $8 FROM calls
    WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL
    ON CONFLICT (organization_id, call_id, number) DO NOTHING`,
};

/** $1 organization, $2 call, $3 where the recording store keeps it */
export const setRecording = {
  name: "call-recording-set",
  text: "UPDATE calls SET recording_key = $3 WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL",
};

/** Of a live call. $1 organization, $2 call, $3 when the person wants to be called again */
export const setCallback = {
  name: "call-callback-set",
  text: `
    UPDATE calls SET callback_at = $3 WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL
    RETURNING id`,
};

/** Who doesn't want to be called isn't called back. $1 organization, $2 call */
export const clearCallback = {
  name: "call-callback-clear",
  text: `
    UPDATE calls SET callback_at = NULL
    WHERE organization_id = $1 AND id = $2 AND callback_at IS NOT NULL`,
};

/** Locks a live call for its end. No row: it has ended. $1 organization, $2 call */
export const lockLiveCall = {
  name: "call-lock-live",
  text: `
    SELECT ${columns}, c.lease_until FROM calls AS c
    WHERE c.organization_id = $1 AND c.id = $2 AND c.ended_at IS NULL
    FOR UPDATE`,
};

/** Calls under way to a number; not those that came from it. $1 organization, $2 number */
export const findLiveTo = {
  name: "calls-live-to",
  text: `
    SELECT id FROM calls
    WHERE organization_id = $1 AND to_number = $2 AND medium = 'phone' AND origin <> 'inbound' AND ended_at IS NULL
    ORDER BY created_at LIMIT 100`,
};

/** What the summary of a call is made of. $1 organization, $2 call */
export const readConversation = {
  name: "call-conversation",
  text: `
    SELECT (SELECT count(*)::int FROM call_turns WHERE organization_id = $1 AND call_id = $2 AND role = 'agent') AS agent_turns,
           (SELECT count(*)::int FROM call_turns WHERE organization_id = $1 AND call_id = $2 AND role = 'user') AS user_turns,
           (SELECT count(*)::int FROM call_turns WHERE organization_id = $1 AND call_id = $2) AS turns,
           (SELECT concat_ws(' ', first_name, last_name) FROM leads
            WHERE organization_id = $1 AND id = $3::uuid) AS lead_name`,
};

/**
 * $1 organization, $2 call, $3 status, $4 outcome, $5 disposition, $6 reason, $7 answered at, $8 ended at, $9 seconds,
 * $10 cost, $11 summary, $12 transcript status, $13 recording bytes
 */
export const endCall = {
  name: "call-end",
  text: `
    WITH ended AS (
      UPDATE calls SET status = $3, call_outcome = $4, disposition = $5, end_reason = $6, answered_at = $7, ended_at = $8,
        duration_seconds = $9, cost_tokens = $10, summary = $11, transcript_status = $12, recording_bytes = $13,
        access_token_hash = NULL
      WHERE organization_id = $1 AND id = $2
    )
    INSERT INTO call_transitions (organization_id, call_id, number, status, at)
    SELECT $1, $2, 1 + max(number), $3, $8 FROM call_transitions WHERE organization_id = $1 AND call_id = $2`,
};

/** $1 organization, $2 call */
export const readCall = {
  name: "call-read",
  text: `SELECT ${columns} FROM calls AS c WHERE c.organization_id = $1 AND c.id = $2`,
};

/** $1 organization, $2 call */
export const readTransitions = {
  name: "call-transitions",
  text: "SELECT status, at FROM call_transitions WHERE organization_id = $1 AND call_id = $2 ORDER BY number",
};

/** $1 organization, $2 call */
export const readTurns = {
  name: "call-turns",
  text: `
    SELECT role, source, text, start_ms, end_ms FROM call_turns
    WHERE organization_id = $1 AND call_id = $2 ORDER BY start_ms, number`,
};

/** $1 organization, $2 call */
export const readTransfers = {
  name: "call-transfers",
  text: `
    SELECT id, to_number, mode, outcome, briefing, created_at, finished_at FROM call_transfers
    WHERE organization_id = $1 AND call_id = $2 ORDER BY created_at, id`,
};

/** $1 organization, $2 id, $3 call, $4 to, $5 briefing, $6 now */
export const insertTransfer = {
  name: "call-transfer-insert",
  text: `
    INSERT INTO call_transfers (organization_id, id, call_id, to_number, mode, briefing, created_at)
    VALUES ($1, $2, $3, $4, 'warm', $5, $6)`,
};

/** Once. $1 organization, $2 id, $3 outcome, $4 now */
export const finishTransfer = {
  name: "call-transfer-finish",
  text: `
    UPDATE call_transfers SET outcome = $3, finished_at = $4
    WHERE organization_id = $1 AND id = $2 AND outcome IS NULL RETURNING id`,
};

/** The process that runs a live call. $1 organization, $2 call */
export const readOwner = {
  name: "call-owner",
  text: "SELECT owner_id FROM calls WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL",
};

/** A token that could still be used. $1 organization, $2 call, $3 hash, $4 now */
export const findToken = {
  name: "call-token-find",
  text: `
    SELECT FROM calls
    WHERE organization_id = $1 AND id = $2 AND access_token_hash = $3 AND access_token_used_at IS NULL
      AND access_token_expires_at > $4 AND ended_at IS NULL`,
};

/** Uses it up. No row: somebody has. $1 organization, $2 call, $3 hash, $4 now */
export const useToken = {
  name: "call-token-use",
  text: `
    UPDATE calls SET access_token_used_at = $4
    WHERE organization_id = $1 AND id = $2 AND access_token_hash = $3 AND access_token_used_at IS NULL
      AND access_token_expires_at > $4 AND ended_at IS NULL
    RETURNING id`,
};

/** Of a connection that didn't come about. $1 organization, $2 call, $3 hash */
export const returnToken = {
  name: "call-token-return",
  text: "UPDATE calls SET access_token_used_at = NULL WHERE organization_id = $1 AND id = $2 AND access_token_hash = $3",
};

/** Across organizations: one statement for all calls of a process. $1 owner, $2 calls, $3 lease */
export const renewLeases = {
  name: "calls-renew-leases",
  text: "UPDATE calls SET lease_until = $3 WHERE owner_id = $1 AND id = ANY ($2::uuid[]) AND ended_at IS NULL",
};

/**
 * Across organizations: calls whose process is gone. Also those whose lease reaches further than any process takes one:
 * it was taken under a clock that has been set back since. $1 now, $2 the furthest that a lease can reach, $3 how many,
 * $4 calls that are known to live
 */
export const findAbandoned = {
  name: "calls-find-abandoned",
  text: `
    SELECT organization_id, id FROM calls
    WHERE ended_at IS NULL AND (lease_until < $1 OR lease_until > $2) AND NOT id = ANY ($4::uuid[])
    ORDER BY lease_until LIMIT $3`,
};

export interface CallFilter {
  status?: string | undefined;
  campaignId?: string | undefined;
  leadId?: string | undefined;
  agentId?: string | undefined;
  medium?: "phone" | "browser" | undefined;
  /** ISO 8601 */
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  live?: boolean | undefined;
}

/** Newest first. Planned for the values at hand: a plan for any combination of filters serves none of them. */
export function listCalls(
  organizationId: string,
  filter: CallFilter,
  limit: number,
  offset: number,
): Statement {
  const values: unknown[] = [organizationId, limit, offset];
  const where = ["c.organization_id = $1"];
  const add = (condition: string, value: string | undefined) => {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`);
  };
  add("c.status =", filter.status);
  // Those that are live have an index, and those that have ended; by their status alone every call would be read.
  if (filter.status !== undefined) {
    const isLive = callTransitions[filter.status as CallStatus]?.length > 0;
    where.push(`c.ended_at IS ${isLive ? "" : "NOT "}NULL`);
  }
  add("c.campaign_id =", filter.campaignId);
  add("c.lead_id =", filter.leadId);
  add("c.agent_id =", filter.agentId);
  add("c.medium =", filter.medium);
  add("c.created_at >", filter.createdAfter);
  add("c.created_at <", filter.createdBefore);
  if (filter.live !== undefined) where.push(`c.ended_at IS ${filter.live ? "" : "NOT "}NULL`);
  return {
    ...(where.length === 1 ? { name: "calls-list" } : {}),
    text: `SELECT ${summaryColumns} FROM calls AS c WHERE ${where.join(" AND ")}
           ORDER BY c.created_at DESC, c.id DESC LIMIT $2 OFFSET $3`,
    values,
  };
}
