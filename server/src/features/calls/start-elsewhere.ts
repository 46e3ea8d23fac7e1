import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { ClaimReference, RememberAnswer } from "../../http/idempotency.ts";
import { askVoice, VoiceUnreached } from "./ask-voice.ts";
import type { CreatedCall } from "./calls.schema.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { endCall } from "./end-call.ts";
import type { CallRequest } from "./open-call.ts";
import { SEEN_WITHIN_MS } from "./voice-host.ts";
import * as sql from "./voice-requests.sql.ts";

/** Below the minute after which an idempotency key is taken for abandoned. A carrier may take half a minute to say yes or no. */
const ANSWERED_WITHIN_MS = 50_000;

/** What a start is handed on with. */
export interface HandedStart {
  agentId: string | null;
  body: CallRequest["body"];
  origin: "api" | "app";
  /** Where this process's public API is reached. */
  publicUrl: string;
  /** The idempotency key's; the other process remembers the answer as it accepts the call. */
  claim: ClaimReference | null;
}

/**
 * Has another process start a call, since this one runs none, or no more.
 * @throws DomainError what starting a call throws; concurrency_limit when all are full, voice_provider_unavailable when
 * none takes calls, or the one that took this is lost: nothing is left running then, and nothing held
 */
export async function startElsewhere(
  deps: CallsDeps,
  request: CallRequest,
  remember: RememberAnswer | undefined,
): Promise<CreatedCall> {
  const { organizationId, agentId, body, origin = "api" } = request;
  const [others] = await deps.database.query<{ open: number; full: number }>({
    ...sql.countProcesses,
    values: [deps.voice?.ownerId ?? null, timestamp(deps.clock.now() - SEEN_WITHIN_MS)],
  });
  if (others!.open === 0) throw nobodyTakesCalls(deps, others!.full > 0);
  const payload: HandedStart = {
    agentId,
    body,
    origin,
    publicUrl: deps.config.public.url,
    claim: remember?.claim ?? null,
  };
  try {
    const call = await askVoice(deps, {
      organizationId,
      kind: "start",
      ownerId: null,
      callId: null,
      payload,
      answerWithinMs: ANSWERED_WITHIN_MS,
    });
    return call as CreatedCall;
  } catch (error) {
    if (!(error instanceof VoiceUnreached)) throw error;
    if (error.callId !== null) await endLost(deps, organizationId, error.callId);
    throw new DomainError(
      "voice_provider_unavailable",
      "The process that was to run the call doesn't answer. Nothing was started: try again.",
    );
  }
}

function nobodyTakesCalls({ voice }: CallsDeps, areFull: boolean): DomainError {
  if (areFull || (voice !== null && !voice.isDraining()))
    return new DomainError("concurrency_limit", "Every voice process runs as many calls as it may.");
  return new DomainError("voice_provider_unavailable", "There is no process that takes calls.");
}

/** At once, rather than when its lease has run out: its money and its place are free for the next try. */
async function endLost(deps: CallsDeps, organizationId: string, callId: string): Promise<void> {
  await deps.database
    .transaction((transaction) =>
      endCall(deps, transaction, {
        organizationId,
        callId,
        status: "failed",
        outcome: "failed",
        reason: "The process that was to run the call was lost.",
        refusedAs: "voice_provider_unavailable",
        at: deps.clock.now(),
        answeredAt: null,
        recordingBytes: null,
      }),
    )
    .catch((error: unknown) =>
      deps.logger.error(
        { err: error, call_id: callId },
        "a lost call stays open until its lease has run out",
      ),
    );
}
