import { timestamp } from "../../database/database.ts";
import { startWorker, type Worker } from "../../workers/worker.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { endCall } from "./end-call.ts";
import type { CallRow } from "./present-call.ts";
import { LEASE_MS, type VoiceHost } from "./voice-host.ts";

const RENEW_EVERY_MS = 10_000;
const RECOVER_EVERY_MS = 15_000;
const MOST_AT_ONCE = 100;

/** Keeps up the leases of this process's calls: whoever stops doing so is taken for dead. */
export function startLeases(deps: CallsDeps & { voice: VoiceHost }): Worker {
  return startWorker({
    clock: deps.clock,
    intervalMs: RENEW_EVERY_MS,
    async round() {
      const ids = ownCalls(deps);
      if (ids.length > 0) {
        await deps.database.query({
          ...sql.renewLeases,
          values: [deps.voice.ownerId, ids, timestamp(deps.clock.now() + LEASE_MS)],
        });
      }
      return {};
    },
    onError: (error) => deps.logger.error({ err: error }, "renewing the leases of calls failed"),
  });
}

/**
 * Ends the calls of processes that died: at the start, and every 15 s. What runs here lives, whatever its lease says; and after a
 * time without the database nobody has died, but nobody could renew a lease either, so all get the time to.
 */
export function startRecovery(deps: CallsDeps): Worker {
  let notBefore = Number.NEGATIVE_INFINITY;
  return startWorker({
    clock: deps.clock,
    intervalMs: RECOVER_EVERY_MS,
    async round(signal) {
      const now = deps.clock.now();
      const abandoned = await deps.database.query<{ organization_id: string; id: string }>({
        ...sql.findAbandoned,
        values: [timestamp(now), timestamp(now + 2 * LEASE_MS), MOST_AT_ONCE, ownCalls(deps)],
      });
      if (now < notBefore) return { nextAt: notBefore };
      let ended = 0;
      for (const call of abandoned) {
        if (signal.aborted) break;
        try {
          await recover(deps, call.organization_id, call.id);
          ended++;
        } catch (error) {
          // The others are recovered all the same.
          deps.logger.error({ err: error, call_id: call.id }, "a call couldn't be recovered");
        }
      }
      return { again: abandoned.length === MOST_AT_ONCE && ended > 0 };
    },
    onError(error) {
      notBefore = deps.clock.now() + RECOVER_EVERY_MS;
      deps.logger.error({ err: error }, "recovering calls failed");
    },
  });
}

function ownCalls({ voice }: CallsDeps): string[] {
  return voice === null ? [] : [...new Set([...voice.plane.running(), ...voice.between])];
}

/** Ends one call as failed, charged up to when its process last said that it lives. Whoever else recovers it at the same time finds it ended. */
async function recover(deps: CallsDeps, organizationId: string, callId: string): Promise<void> {
  const now = deps.clock.now();
  const ended = await deps.database.transaction(async (transaction) => {
    const [call] = await transaction.query<CallRow & { lease_until: string }>({
      ...sql.lockLiveCall,
      values: [organizationId, callId],
    });
    if (!call) return false;
    const leaseUntil = Date.parse(call.lease_until);
    // Its owner was only late, and has renewed it meanwhile.
    if (leaseUntil >= now && leaseUntil <= now + 2 * LEASE_MS) return false;
    const recordingBytes =
      call.recording_key === null ? null : await deps.recordings.repair(call.recording_key);
    return endCall(deps, transaction, {
      organizationId,
      callId,
      status: "failed",
      outcome: "failed",
      reason: "The process that ran the call stopped.",
      at: Math.min(now, leaseUntil - LEASE_MS),
      answeredAt: null,
      recordingBytes,
    });
  });
  if (ended)
    deps.logger.warn({ organization_id: organizationId, call_id: callId }, "call of a dead process ended");
}
