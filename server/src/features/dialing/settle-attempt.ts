import { type Transaction, timestamp } from "../../database/database.ts";
import * as sql from "./attempts.sql.ts";
import type { DialingDeps } from "./dialing-deps.ts";
import { afterAttempt, type EndedCall, isOurs, type RetryMinutes, resultOf } from "./lead-states.ts";

/** The end of a campaign's call. Instants are milliseconds since the epoch. */
export interface EndOfAttempt extends Omit<EndedCall, "answered"> {
  organizationId: string;
  /** The call's id, which is the attempt's. */
  callId: string;
  at: number;
  answeredAt: number | null;
  costTokens: number;
  /** The code by which the call was refused before it rang anywhere; null when it was taken. */
  refusedAs: string | null;
}

/** What isn't the lead's or the network's: nobody's phone rang, and the next look may find it gone. */
const NOT_DIALED: readonly (string | null)[] = [
  "concurrency_limit",
  "voice_provider_unavailable",
  "call_creation_failed",
];
const NOT_DIALED_AGAIN_MS = 15_000;

interface AttemptRow {
  campaign_id: string;
  lead_id: string;
  state: "claimed" | "dialed";
  attempts: number;
  network_failures: number;
  written_status: string | null;
  due: "retry" | "callback" | null;
  lead_status: string;
  here: boolean;
  max_attempts: number;
  retry_minutes: RetryMinutes;
}

/**
 * Settles the attempt of a call that has ended, in the transaction of its end: the attempt's outcome, where its lead stands now, and
 * the lead's status, unless somebody else has given it one. A call that is no attempt, or a settled one, changes nothing.
 */
export async function settleAttempt(
  deps: DialingDeps,
  transaction: Transaction,
  end: EndOfAttempt,
): Promise<void> {
  const { organizationId, callId } = end;
  const [attempt] = await transaction.query<AttemptRow>({
    ...sql.readAttempt,
    values: [organizationId, callId],
  });
  if (!attempt) return;
  const undialed = NOT_DIALED.includes(end.refusedAs);
  const outcome = undialed ? end.refusedAs! : end.outcome;
  const { lead_id, campaign_id } = attempt;

  const move = undialed
    ? {
        ...{ state: "waiting" as const, nextAt: end.at + NOT_DIALED_AGAIN_MS, due: attempt.due },
        ...{ attempts: attempt.attempts, networkFailures: attempt.network_failures },
        leadStatus: attempt.written_status,
      }
    : afterAttempt(
        resultOf({ ...end, answered: end.answeredAt !== null }),
        { attempts: attempt.attempts, networkFailures: attempt.network_failures },
        { maxAttempts: attempt.max_attempts, retryMinutes: attempt.retry_minutes },
        { at: end.at, callbackAt: end.callbackAt },
      );
  const ours = isOurs(attempt.lead_status, attempt.written_status);
  // The lead before its entry: a change of its status has the entry follow it.
  if (ours && !undialed) {
    await transaction.query({
      ...sql.setLeadStatus,
      values: [organizationId, lead_id, move.leadStatus, timestamp(deps.clock.now())],
    });
  }
  await transaction.query({
    ...sql.settleEntry,
    values: [
      organizationId,
      campaign_id,
      lead_id,
      !attempt.here ? "left" : ours ? move.state : "done",
      move.nextAt === null ? null : timestamp(move.nextAt),
      move.due,
      move.attempts,
      move.networkFailures,
      move.leadStatus,
    ],
  });
  await transaction.query({
    ...sql.settleAttempt,
    values: [
      organizationId,
      callId,
      undialed ? "dropped" : "settled",
      outcome,
      end.answeredBy,
      end.outcome === "abandoned",
      end.answeredAt === null ? null : timestamp(end.answeredAt),
      timestamp(end.at),
      end.costTokens,
    ],
  });
  transaction.afterCommit(() => {
    deps.dialingMetrics.attemptEnded(outcome);
    deps.campaignsChanged();
  });
}
