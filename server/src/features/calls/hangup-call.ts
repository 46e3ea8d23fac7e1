import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain-error.ts";
import type { LiveCall } from "../../voice/session/voice-plane.ts";
import { askVoice, VoiceUnreached } from "./ask-voice.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { readCallRow } from "./read-calls.ts";

/** A call that is to end is looked at this often, for this long. Real time: a person waits. */
const LOOK_EVERY_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/**
 * Ends a live call, wherever it runs, and returns once its end is stored.
 * @param input `ringing`: whether a call that isn't connected yet is canceled, or refused; `optedOut`: the person is told first, in one
 *   sentence, that they won't be called again
 * @throws DomainError not_found, call_already_ended, call_not_connected, hangup_failed
 */
export async function hangupCall(
  deps: CallsDeps,
  input: {
    organizationId: string;
    id: string;
    reason: string;
    ringing: "cancel" | "refuse";
    optedOut?: boolean;
  },
): Promise<void> {
  const { organizationId, id } = input;
  const call = await readCallRow(deps, organizationId, id);
  if (call.ended_at !== null) throw new DomainError("call_already_ended", "The call has ended already.");
  if (call.status !== "in-progress" && input.ringing === "refuse") {
    throw new DomainError(
      "call_not_connected",
      "The call isn't connected: it can be hung up once it is answered.",
    );
  }
  const started = performance.now();
  const live = deps.voice?.plane.find(call.id);
  const handed: HandedHangup = { reason: input.reason, optedOut: input.optedOut === true };
  if (live) await hangupLive(live, handed);
  else await askToHangUp(deps, { organizationId, callId: call.id, handed });

  for (;;) {
    if ((await readCallRow(deps, organizationId, id)).ended_at !== null) return;
    if (performance.now() - started > LONGEST_WAIT_MS) break;
    await delay(LOOK_EVERY_MS);
  }
  throw new DomainError(
    "hangup_failed",
    "The call could not be hung up. It ends by itself within a minute if its process is gone.",
  );
}

/** What a hangup is handed on with, to the process that runs the call. */
export interface HandedHangup {
  reason: string;
  optedOut: boolean;
}

/** Ends a call that runs in this process. */
export function hangupLive(live: LiveCall, { reason, optedOut }: HandedHangup): Promise<void> {
  return optedOut ? live.optedOut(reason) : live.hangup(reason);
}

/** Returns when the process that runs the call has hung it up, or can't be reached: the call's record tells which. */
async function askToHangUp(
  deps: CallsDeps,
  { organizationId, callId, handed }: { organizationId: string; callId: string; handed: HandedHangup },
): Promise<void> {
  const [owner] = await deps.database.query<{ owner_id: string }>({
    ...sql.readOwner,
    values: [organizationId, callId],
  });
  // It has just ended.
  if (!owner) return;
  try {
    await askVoice(deps, {
      organizationId,
      kind: "hangup",
      ownerId: owner.owner_id,
      callId,
      payload: handed,
      answerWithinMs: LONGEST_WAIT_MS,
    });
  } catch (error) {
    if (!(error instanceof VoiceUnreached)) throw error;
  }
}
