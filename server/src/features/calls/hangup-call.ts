import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../domain-error.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { readCallRow } from "./read-calls.ts";

/** A call of another process is asked for, and looked at this often, for this long. Real time: a person waits. */
const LOOK_EVERY_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/**
 * Ends a live call, wherever it runs, and returns once its end is stored.
 * @param input `ringing`: whether a call that isn't connected yet is canceled, or refused
 * @throws DomainError not_found, call_already_ended, call_not_connected, hangup_failed
 */
export async function hangupCall(
  deps: CallsDeps,
  input: { organizationId: string; id: string; reason: string; ringing: "cancel" | "refuse" },
): Promise<void> {
  const { organizationId, id, reason } = input;
  const call = await readCallRow(deps, organizationId, id);
  if (call.ended_at !== null) throw new DomainError("call_already_ended", "The call has ended already.");
  if (call.status !== "in-progress" && input.ringing === "refuse") {
    throw new DomainError(
      "call_not_connected",
      "The call isn't connected: it can be hung up once it is answered.",
    );
  }
  const live = deps.voice?.plane.find(call.id);
  if (live) await live.hangup(reason);
  else deps.askToHangUp(call.id);

  for (const started = performance.now(); performance.now() - started < LONGEST_WAIT_MS; ) {
    if ((await readCallRow(deps, organizationId, id)).ended_at !== null) return;
    await delay(LOOK_EVERY_MS);
  }
  throw new DomainError(
    "hangup_failed",
    "The call could not be hung up. It ends by itself within a minute if its process is gone.",
  );
}

/** Another process asks for a call to be hung up. Does nothing when it doesn't run here. */
export function hangUpForOthers(deps: Pick<CallsDeps, "voice" | "logger">, callId: string): void {
  deps.voice?.plane
    .find(callId)
    ?.hangup("hung up through the API")
    .catch((error: unknown) => deps.logger.error({ err: error, call_id: callId }, "hanging up failed"));
}
