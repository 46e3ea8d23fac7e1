import { type Transaction, timestamp } from "../../database/database.ts";
import { type Reported, recordEvents } from "../../events/outbox.ts";
import { canMove, type TerminalStatus } from "../../voice/call-states.ts";
import { priceOf, settleHold } from "../billing/index.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { optOutInTranscript } from "./opt-out-in-transcript.ts";
import { type CallRow, directionOf } from "./present-call.ts";
import { summariseCall } from "./summarise-call.ts";

export interface EndOfCall {
  organizationId: string;
  callId: string;
  status: TerminalStatus;
  outcome: string;
  /** In words, for operators. */
  reason: string;
  /** Milliseconds since the epoch, on the service's clock. */
  at: number;
  /** When it was answered, should the call's record not know yet. */
  answeredAt: number | null;
  recordingBytes: number | null;
  /** The code by which the carrier, or the engine, refused it. */
  refusedAs?: string;
}

type LockedCall = CallRow & { callback_at: string | null };

/** Outcomes that say what the agent made of the person, and so are the call's disposition too. */
const DISPOSITIONS = ["appointment_set", "do_not_call", "transferred"];

/**
 * The end of a call, whoever tells it: the record, the money, the transcript's summary and the events, in one transaction.
 * Only the first end counts; a later one changes nothing.
 * @returns false when the call had ended already
 */
export async function endCall(
  deps: Pick<CallsDeps, "clock" | "newId" | "deliveriesQueued" | "callMetrics" | "settleAttempt">,
  transaction: Transaction,
  end: EndOfCall,
): Promise<boolean> {
  const { organizationId, callId } = end;
  const [call] = await transaction.query<LockedCall>({
    ...sql.lockLiveCall,
    values: [organizationId, callId],
  });
  if (!call) return false;

  const answeredAt = call.answered_at === null ? end.answeredAt : Date.parse(call.answered_at);
  const endedAt = Math.max(end.at, answeredAt ?? Date.parse(call.created_at));
  const seconds = answeredAt === null ? null : Math.ceil((endedAt - answeredAt) / 1000);
  // A session that lost touch with its record may tell an end that the record can't come to.
  const from = answeredAt === null ? call.status : "in-progress";
  const status = canMove(from as "initiating", end.status) ? end.status : "failed";
  const outcome = status === end.status ? end.outcome : "failed";

  const optedOut =
    outcome === "do_not_call" ||
    (seconds !== null && (await optOutInTranscript(deps, transaction, call, organizationId)));

  const { captured } = await settleHold(deps, transaction, {
    organizationId,
    callId,
    tokens: priceOf({ seconds: seconds ?? 0, ratePerMinute: call.rate_per_minute }),
    note: seconds === null ? null : `${call.medium} call, ${seconds} s`,
    actor: "calls",
  });
  const [said] = await transaction.query<{
    agent_turns: number;
    user_turns: number;
    turns: number;
    lead_name: string | null;
  }>({ ...sql.readConversation, values: [organizationId, callId, call.lead_id] });
  const summary = summariseCall({
    medium: call.medium,
    person: said!.lead_name?.trim() || null,
    status,
    outcome,
    answeredBy: call.answered_by,
    seconds,
    agentTurns: said!.agent_turns,
    userTurns: said!.user_turns,
  });
  await transaction.query({
    ...sql.endCall,
    values: [
      organizationId,
      callId,
      status,
      outcome,
      optedOut ? "do_not_call" : DISPOSITIONS.includes(outcome) ? outcome : call.disposition,
      end.reason.slice(0, 500),
      answeredAt === null ? null : timestamp(answeredAt),
      timestamp(endedAt),
      seconds,
      captured,
      summary,
      seconds === null ? "unavailable" : "ready",
      end.recordingBytes,
    ],
  });

  if (call.origin === "campaign") {
    await deps.settleAttempt(transaction, {
      organizationId,
      callId,
      status,
      outcome,
      at: endedAt,
      answeredAt,
      answeredBy: call.answered_by,
      optedOut,
      callbackAt: call.callback_at === null ? null : Date.parse(call.callback_at),
      costTokens: captured,
      refusedAs: end.refusedAs ?? null,
    });
  }
  if (seconds !== null) {
    const events: Reported[] = [];
    if (call.origin === "api" && call.medium === "browser" && status === "completed") {
      events.push({
        organizationId,
        type: "call.completed",
        data: {
          call_id: callId,
          direction: directionOf("browser") as "web",
          status,
          duration_seconds: seconds,
          agent_id: call.agent_id,
          lead_id: call.lead_id,
        },
      });
    }
    events.push({
      organizationId,
      type: "call.transcript_ready",
      data: {
        call_id: callId,
        call_sid: call.call_sid,
        campaign_id: call.campaign_id,
        lead_id: call.lead_id,
        duration_seconds: seconds,
        summary,
        has_transcript: said!.turns > 0,
      },
    });
    await recordEvents(deps, transaction, events);
  }
  transaction.afterCommit(() => deps.callMetrics.ended({ status, carrier: call.carrier ?? call.medium }));
  return true;
}
