import type { Call, CallSummary } from "./calls.schema.ts";

/** A row as lists read it. */
export interface CallSummaryRow extends Omit<CallSummary, "direction" | "duration" | "recording_url"> {
  recording_bytes: number | null;
}

/** A row with everything but what stands in other tables. */
export interface CallRow
  extends CallSummaryRow,
    Omit<Call, keyof CallSummary | "recording_bytes" | "transitions" | "transfers"> {
  recording_key: string | null;
}

/** As events and answers call it. */
export function directionOf(medium: "phone" | "browser"): "phone" | "web" {
  return medium === "browser" ? "web" : "phone";
}

/** A recording is there once it is whole. */
function hasRecording(row: { ended_at: string | null; recording_bytes: number | null }): boolean {
  return row.ended_at !== null && (row.recording_bytes ?? 0) > 0;
}

/** @param publicUrl the address that links begin with, without a slash at its end */
export function presentSummary(row: CallSummaryRow, publicUrl: string): CallSummary {
  return {
    id: row.id,
    call_sid: row.call_sid,
    lead_id: row.lead_id,
    campaign_id: row.campaign_id,
    agent_id: row.agent_id,
    medium: row.medium,
    direction: directionOf(row.medium),
    to_number: row.to_number,
    from_number: row.from_number,
    status: row.status,
    call_outcome: row.call_outcome,
    disposition: row.disposition,
    duration: row.duration_seconds,
    duration_seconds: row.duration_seconds,
    created_at: row.created_at,
    ended_at: row.ended_at,
    recording_url: hasRecording(row) ? `${publicUrl}/v1/calls/${row.id}/recording` : null,
  };
}

export function presentCall(
  row: CallRow,
  parts: Pick<Call, "transitions" | "transfers">,
  publicUrl: string,
): Call {
  return {
    ...presentSummary(row, publicUrl),
    metadata: row.metadata,
    origin: row.origin,
    carrier: row.carrier,
    answered_by: row.answered_by,
    end_reason: row.end_reason,
    call_template: row.call_template,
    template_context: row.template_context,
    rate_per_minute: row.rate_per_minute,
    cost_tokens: row.cost_tokens,
    summary: row.summary,
    transcript_status: row.transcript_status,
    recording_bytes: row.recording_bytes,
    callback_at: row.callback_at,
    initiated_at: row.initiated_at,
    answered_at: row.answered_at,
    transitions: parts.transitions,
    transfers: parts.transfers,
  };
}
