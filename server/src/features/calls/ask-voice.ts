import { setTimeout as delay } from "node:timers/promises";
import { type Queryable, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { CallsDeps } from "./calls-deps.ts";
import * as sql from "./voice-requests.sql.ts";

/** What is asked of a process that runs calls. */
export interface VoiceRequest {
  organizationId: string;
  kind: "start" | "connect" | "hangup";
  /** The process that it is for; null: any that takes calls. */
  ownerId: string | null;
  callId: string | null;
  payload: unknown;
  /** Once it is taken; in milliseconds of real time. */
  answerWithinMs: number;
}

/** What the other process has answered: a refusal has the code and the words for whoever asked here. */
export type VoiceAnswer =
  | { result: unknown }
  | { refusal: { code: string; message: string; details: Readonly<Record<string, unknown>> } };

/** Nobody has done it, and nobody will: it is withdrawn. */
export class VoiceUnreached extends Error {
  override readonly name = "VoiceUnreached";
  /** The call that was stored before its process was lost. */
  readonly callId: string | null;

  constructor(message: string, callId: string | null) {
    super(message);
    this.callId = callId;
  }
}

/**
 * Real time, in milliseconds, since a person waits. A process takes a request within a moment, or within a second where
 * notifications are lost; one that works on requests is seen every second.
 */
const LOOK_EVERY_MS = 250;
const TAKEN_WITHIN_MS = 5_000;
const LOST_AFTER_MS = 6_000;

/**
 * Has another process do something about a call, and waits for its answer. Either it is done, or it is withdrawn: never both.
 * @throws DomainError what the other process refuses with; VoiceUnreached
 */
export async function askVoice(
  deps: Pick<CallsDeps, "database" | "clock" | "newId" | "logger" | "callMetrics" | "voiceRequests">,
  request: VoiceRequest,
): Promise<unknown> {
  const { organizationId, kind, ownerId, callId, payload } = request;
  const id = deps.newId();
  let wake = () => {};
  const stopListening = deps.voiceRequests.onAnswer(id, () => wake());
  try {
    const now = timestamp(deps.clock.now());
    const values = [organizationId, id, kind, ownerId, callId, JSON.stringify(payload), now];
    await deps.database.query({ ...sql.insertRequest, values }).catch((error: unknown) =>
      // Whether it is stored shows when it is looked at.
      deps.logger.error({ err: error, voice_request: id }, "a request to a voice process may not be stored"),
    );
    deps.voiceRequests.asked(ownerId);
    const answer = await waitForAnswer(deps, { ...request, id }, () => {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      return Promise.race([woken, delay(LOOK_EVERY_MS)]);
    });
    deps.callMetrics.asked({ kind, outcome: "result" in answer ? "done" : "refused" });
    if ("result" in answer) return answer.result;
    const { code, message, details } = answer.refusal;
    throw new DomainError(code, message, details);
  } catch (error) {
    if (error instanceof VoiceUnreached) {
      deps.callMetrics.asked({ kind, outcome: "unreached" });
      deps.logger.warn(
        { organization_id: organizationId, call_id: error.callId ?? callId, voice_request: id, kind },
        `${error.message} What was asked of it is withdrawn`,
      );
    }
    throw error;
  } finally {
    stopListening();
  }
}

async function waitForAnswer(
  deps: Pick<CallsDeps, "database" | "logger">,
  { organizationId, id, answerWithinMs }: VoiceRequest & { id: string },
  pause: () => Promise<void>,
): Promise<VoiceAnswer> {
  const { database } = deps;
  const key = [organizationId, id];
  const begun = performance.now();
  let beat = { count: null as number | null, at: begun };
  for (;;) {
    const found = await readState(database, key).catch((error: unknown) => {
      // The database is away, and may be back in time. What is asked may be done meanwhile: it can't be left alone.
      if (performance.now() - begun > answerWithinMs) throw error;
      return "unknown" as const;
    });
    if (found === null) throw new VoiceUnreached("A request to a voice process is gone.", null);
    if (found === "unknown") {
      await delay(LOOK_EVERY_MS);
      continue;
    }
    if (found.answer !== null) {
      // What stays holds nothing up.
      await database
        .query({ ...sql.removeRequest, values: key })
        .catch((error: unknown) => deps.logger.error({ err: error }, "a request to a voice process stays"));
      return JSON.parse(found.answer) as VoiceAnswer;
    }
    const now = performance.now();
    if (found.beats !== beat.count) beat = { count: found.beats, at: now };
    const isHopeless = found.is_claimed
      ? found.beats === null || now - beat.at > LOST_AFTER_MS || now - begun > answerWithinMs
      : now - begun > TAKEN_WITHIN_MS;
    if (!isHopeless) {
      await pause();
      continue;
    }
    const [withdrawn] = await database.query<{ is_claimed: boolean; call_id: string | null }>({
      ...sql.withdrawRequest,
      values: key,
    });
    // It was answered in the last moment otherwise.
    if (withdrawn) {
      const message = withdrawn.is_claimed
        ? "The voice process that took a request was lost."
        : "No voice process took a request.";
      throw new VoiceUnreached(message, withdrawn.call_id);
    }
  }
}

interface RequestState {
  is_claimed: boolean;
  /** Of the process that works on it; null when there is none. */
  beats: number | null;
  answer: string | null;
}

async function readState(database: Queryable, key: string[]): Promise<RequestState | null> {
  const [state] = await database.query<RequestState>({ ...sql.readRequest, values: key });
  return state ?? null;
}
