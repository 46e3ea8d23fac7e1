import { type Queryable, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { rememberAnswer } from "../../http/idempotency.ts";
import { startWorker, type Worker } from "../../workers/worker.ts";
import type { VoiceAnswer, VoiceRequest } from "./ask-voice.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { connectHere, type HandedOffer } from "./connect-browser.ts";
import { type HandedHangup, hangupLive } from "./hangup-call.ts";
import type { CallRequest } from "./open-call.ts";
import { startHere } from "./start-call.ts";
import type { HandedStart } from "./start-elsewhere.ts";
import type { VoiceHost } from "./voice-host.ts";
import * as sql from "./voice-requests.sql.ts";

type Deps = CallsDeps & { voice: VoiceHost };

interface ClaimedRequest {
  organization_id: string;
  id: string;
  kind: VoiceRequest["kind"];
  call_id: string | null;
  payload: string;
}

/** Where notifications are lost, requests wait this long; it is also how often a process that works on one is seen. */
const LOOK_EVERY_MS = 1_000;
/** Real time: it is about being there. */
const REPORT_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 60_000;
const MOST_AT_ONCE = 20;
/** Who asked before has withdrawn it, or is dead. Long enough for clocks that differ by some seconds. */
const CLAIMED_WITHIN_MS = 30_000;
const LEFT_AFTER_MS = 300_000;
const PROCESS_LEFT_AFTER_MS = 3_600_000;

/**
 * Does what other processes ask of this one about calls, and tells them that it lives. Stopping it waits for what is being
 * done.
 */
export function startVoiceRequests(deps: Deps): Worker {
  const { clock, database, voice } = deps;
  const ago = (milliseconds: number) => timestamp(clock.now() - milliseconds);
  const working = new Set<Promise<void>>();
  let reported = "";
  let reportAt = 0;
  let sweepAt = 0;

  const report = async () => {
    const state = voice.isDraining() ? "draining" : voice.room() > 0 ? "open" : "full";
    const now = performance.now();
    if (working.size === 0 && state === reported && now < reportAt) return;
    await database.query({ ...sql.reportProcess, values: [voice.ownerId, state, ago(0)] });
    reported = state;
    reportAt = now + REPORT_EVERY_MS;
  };
  const sweep = async () => {
    if (performance.now() < sweepAt) return;
    const values = [ago(LEFT_AFTER_MS), ago(PROCESS_LEFT_AFTER_MS)];
    const left = await database.query({ ...sql.removeLeft, values });
    sweepAt = performance.now() + SWEEP_EVERY_MS;
    if (left.length > 0)
      deps.logger.warn({ requests: left.length }, "removed what dead processes had asked of voice processes");
  };

  const worker = startWorker({
    clock,
    intervalMs: LOOK_EVERY_MS,
    async round() {
      await report();
      const room = voice.room();
      const most = room === 0 ? MOST_AT_ONCE : Math.min(MOST_AT_ONCE, room);
      const claimed = await database.query<ClaimedRequest>({
        ...sql.claimRequests,
        values: [voice.ownerId, room > 0, most, ago(CLAIMED_WITHIN_MS)],
      });
      for (const request of claimed) {
        const work = serve(deps, request).finally(() => working.delete(work));
        working.add(work);
      }
      await sweep();
      return { again: claimed.length === most };
    },
    onError: (error) =>
      deps.logger.error({ err: error }, "looking for requests to this voice process failed"),
  });
  return {
    wake: worker.wake,
    async stop() {
      await worker.stop();
      await Promise.all(working);
      await database.query({ ...sql.removeProcess, values: [voice.ownerId] });
    },
  };
}

/** Never rejects. */
async function serve(deps: Deps, request: ClaimedRequest): Promise<void> {
  const { id, kind } = request;
  const fields = {
    organization_id: request.organization_id,
    call_id: request.call_id,
    voice_request: id,
    kind,
  };
  try {
    // A start is answered as it is accepted.
    if (kind === "start") await startFor(deps, request);
    else await answer(deps.database, deps, request, { result: await carryOut(deps, request) });
  } catch (error) {
    if (!(error instanceof DomainError) || error.cause !== undefined)
      deps.logger.error({ ...fields, err: error }, "what another process asked for failed");
    const { code, message, details } =
      error instanceof DomainError ? error : new DomainError("internal_error", "The voice process failed.");
    await answer(deps.database, deps, request, { refusal: { code, message, details } }).catch(
      (cause: unknown) => {
        if (cause instanceof DomainError) deps.logger.warn(fields, cause.message);
        else deps.logger.error({ ...fields, err: cause }, "what another process asked for stays unanswered");
      },
    );
  } finally {
    deps.voiceRequests.answered(id);
  }
}

/** Accepting the call, remembering the answer for its idempotency key and telling the other process are one transaction. */
async function startFor(deps: Deps, request: ClaimedRequest): Promise<void> {
  const { organization_id: organizationId, id } = request;
  const { agentId, body, origin, publicUrl, claim } = JSON.parse(request.payload) as HandedStart;
  const { config, voice } = deps;
  const asked = { ...deps, config: { ...config, public: { ...config.public, url: publicUrl } } };
  await startHere(asked, voice, { organizationId, agentId, body, origin } as CallRequest, {
    async opened(transaction, callId) {
      const wanted = await transaction.query({
        ...sql.noteCall,
        values: [organizationId, id, voice.ownerId, callId],
      });
      if (wanted.length === 0) throw notWanted();
    },
    async remember(transaction, status, call) {
      await answer(transaction, deps, request, { result: call });
      if (claim) await rememberAnswer(transaction, claim, status, call);
    },
  });
}

async function carryOut(deps: Deps, request: ClaimedRequest): Promise<unknown> {
  const { plane } = deps.voice;
  const callId = request.call_id!;
  if (request.kind === "connect") {
    const { tokenHash, offer } = JSON.parse(request.payload) as HandedOffer;
    return connectHere(deps, plane, {
      organizationId: request.organization_id,
      callId,
      tokenHash: Buffer.from(tokenHash, "hex"),
      offer,
    });
  }
  // One that isn't here has just ended.
  const live = plane.find(callId);
  if (live) await hangupLive(live, JSON.parse(request.payload) as HandedHangup);
  return null;
}

/** @throws DomainError when nobody waits for it any more */
async function answer(
  on: Queryable,
  { voice }: Deps,
  { organization_id, id }: ClaimedRequest,
  told: VoiceAnswer,
): Promise<void> {
  const values = [organization_id, id, voice.ownerId, JSON.stringify(told)];
  const waiting = await on.query({ ...sql.answerRequest, values });
  if (waiting.length === 0) throw notWanted();
}

function notWanted(): DomainError {
  return new DomainError("conflict", "The process that asked for it has given it up.");
}
