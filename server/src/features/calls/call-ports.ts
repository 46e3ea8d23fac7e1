import { setTimeout as delay } from "node:timers/promises";
import { timestamp } from "../../database/database.ts";
import { recordEvents } from "../../events/outbox.ts";
import { type CallStatus, callTransitions } from "../../voice/call-states.ts";
import type { CallEnd, CallPorts, TransferTarget } from "../../voice/session/ports.ts";
import { extendHold } from "../billing/index.ts";
import { isOnDnc } from "../dnc/index.ts";
import { pickCallerId } from "../numbers/index.ts";
import { recordingKey } from "../recordings/index.ts";
import { transferNumber } from "./call-setup.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { endCall } from "./end-call.ts";
import type { OpenedCall } from "./open-call.ts";
import { CallNotLive, outliveOutages } from "./outlive-outage.ts";
import { runTool } from "./run-tool.ts";
import { takeSeat } from "./take-seat.ts";
import type { VoiceHost } from "./voice-host.ts";

/** Real time, in milliseconds: a database that is away for a moment must not cost a call its end. */
const END_RETRIES_MS = [200, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * What a running call stores, over SQL. A call that another process has ended meanwhile, because this one seemed dead, takes
 * nothing more: `moved` then rejects, which ends the session.
 * @param accepted settles when the call's start is stored, or will never be: nothing is stored before
 */
export function createCallPorts(
  deps: CallsDeps,
  voice: VoiceHost,
  call: OpenedCall,
  accepted: Promise<void>,
): CallPorts {
  const { database } = deps;
  const { organizationId, callId } = call;
  const outlive = outliveOutages(deps.logger, callId);
  let turns = 0;

  /** Whether a move whose answer was lost had been stored. */
  const isAt = async (status: CallStatus) => {
    const [row] = await database.query<{ status: string; ended_at: string | null }>({
      ...sql.readCall,
      values: [organizationId, callId],
    });
    return row?.status === status && row.ended_at === null;
  };

  return {
    async moved(to, at) {
      await accepted;
      await outlive(async (again) => {
        const moved = await database.query({
          ...sql.moveCall,
          values: [organizationId, callId, to, timestamp(at), sourcesOf(to)],
        });
        if (moved.length === 0 && !(again && (await isAt(to))))
          throw new CallNotLive(`The call can't become ${to}: it isn't live, or not there yet.`);
      });
      if (to === "in-progress") {
        const seconds = Math.max(0, at - call.createdAt) / 1000;
        deps.callMetrics.answered({ carrier: call.carrier ?? call.medium, seconds });
      }
    },
    async classified(answeredBy) {
      await accepted;
      const values = [organizationId, callId, answeredBy];
      await outlive(() => database.query({ ...sql.classifyCall, values }));
    },
    async takeSeat() {
      await accepted;
      return takeSeat(deps, call);
    },
    async turn({ role, source, text, startMs, endMs }) {
      turns += 1;
      const values = [
        organizationId,
        callId,
        turns,
        role,
        source,
        text,
        Math.round(startMs),
        Math.round(endMs),
      ];
      await accepted;
      await outlive(() => database.query({ ...sql.insertTurn, values }));
    },
    async extendHold() {
      await accepted;
      // One that was stored without our knowing is stored twice: what is held too much is given back at the end.
      return outlive(() => extendHold(deps, { organizationId, callId, tokens: call.ratePerMinute }));
    },
    async openRecording() {
      await accepted;
      const key = recordingKey({ organizationId, callId }, deps.clock.now());
      try {
        const sink = await deps.recordings.create(key);
        await database.query({ ...sql.setRecording, values: [organizationId, callId, key] });
        return sink;
      } catch (error) {
        deps.logger.error({ err: error, call_id: callId }, "the recording couldn't be begun");
        return null;
      }
    },
    async runTool(name, args) {
      await accepted;
      return runTool(deps, call, name, args);
    },
    async beginTransfer() {
      await accepted;
      return beginTransfer(deps, voice, call);
    },
    endTransfer: (transferId, outcome) => endTransfer(deps, organizationId, transferId, outcome),
    async ended(end) {
      await accepted;
      voice.between.add(callId);
      try {
        await storeEnd(deps, call, end);
      } finally {
        voice.between.delete(callId);
      }
    },
  };
}

/** From where a status may be reached. */
function sourcesOf(to: CallStatus): string[] {
  return Object.entries(callTransitions)
    .filter(([, targets]) => (targets as readonly CallStatus[]).includes(to))
    .map(([from]) => from);
}

/** Tries for some 15 s. What isn't stored by then is found by the recovery, once the lease has run out. */
async function storeEnd(deps: CallsDeps, call: OpenedCall, end: CallEnd): Promise<void> {
  const { organizationId, callId } = call;
  for (const wait of [...END_RETRIES_MS, null]) {
    try {
      const first = await deps.database.transaction((transaction) =>
        endCall(deps, transaction, { ...end, organizationId, callId }),
      );
      if (!first) deps.logger.warn({ call_id: callId }, "the call had been ended by another process");
      return;
    } catch (error) {
      if (wait === null) throw error;
      deps.logger.warn({ err: error, call_id: callId }, "the end of a call couldn't be stored yet");
      await delay(wait);
    }
  }
}

async function beginTransfer(
  deps: CallsDeps,
  voice: VoiceHost,
  call: OpenedCall,
): Promise<TransferTarget | null> {
  const { organizationId, callId } = call;
  const to = transferNumber(call.template, call.carrier, call.to);
  if (to === null) return null;
  const ours = call.isInbound ? call.to : call.from;
  return deps.database.transaction(async (transaction) => {
    // Of a number that somebody chose: the list holds, whatever the call.
    if (call.template.transfer_number !== null && (await isOnDnc(transaction, organizationId, to)))
      return null;
    // A browser call has no number of its own to call from.
    const caller =
      ours === null || call.carrier === null
        ? await pickCallerId(deps, transaction, { organizationId, toNumber: to })
        : { phone_number: ours, carrier: call.carrier };
    const carrier = caller && voice.carriers.get(caller.carrier);
    if (!carrier) return null;
    const transferId = deps.newId();
    await transaction.query({
      ...sql.insertTransfer,
      values: [organizationId, transferId, callId, to, call.setup.briefing, timestamp(deps.clock.now())],
    });
    return { transferId, carrier, from: caller.phone_number, to };
  });
}

async function endTransfer(
  deps: CallsDeps,
  organizationId: string,
  transferId: string,
  outcome: "success" | "failed",
): Promise<void> {
  await deps.database.transaction(async (transaction) => {
    const finished = await transaction.query({
      ...sql.finishTransfer,
      values: [organizationId, transferId, outcome, timestamp(deps.clock.now())],
    });
    if (finished.length === 0 || outcome !== "success") return;
    await recordEvents(deps, transaction, [
      {
        organizationId,
        type: "call.transferred",
        data: { transfer_id: transferId, mode: "warm", outcome: "success" },
      },
    ]);
  });
}
