import { type Queryable, type Transaction, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordEvents } from "../../events/outbox.ts";
import type { RememberAnswer } from "../../http/idempotency.ts";
import { CarrierRefusal } from "../../voice/carriers/carrier.ts";
import { EngineUnavailable } from "../../voice/engines/engine.ts";
import type { LiveCall } from "../../voice/session/voice-plane.ts";
import { CONNECT_WITHIN_MS } from "./access-token.ts";
import { createCallPorts } from "./call-ports.ts";
import type { AgentCallCreate, CreatedCall } from "./calls.schema.ts";
import * as sql from "./calls.sql.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { dialInOrder } from "./dial-in-order.ts";
import { endCall } from "./end-call.ts";
import { failsAs } from "./fails-as.ts";
import { type CallRequest, type InboundParty, type OpenedCall, openCall } from "./open-call.ts";
import { directionOf } from "./present-call.ts";
import { startElsewhere } from "./start-elsewhere.ts";
import type { VoiceHost } from "./voice-host.ts";

/** What else is to be done in the transactions of a start. */
interface StartHooks {
  /** The last thing before the call is stored. What it throws leaves nothing of the call. */
  opened?(transaction: Transaction, callId: string): Promise<void>;
  /** Stores the answer, with the call's acceptance. What it throws ends the call. */
  remember?: ((transaction: Queryable, status: number, body: unknown) => Promise<void>) | undefined;
}

/** What the schema of the body can't say. @throws DomainError invalid_to_number, invalid_from_number */
export function checkNumbers(body: AgentCallCreate): void {
  const { medium, to_number: to, from_number: from, lead_id: lead } = body;
  if (medium === "phone") {
    if (to === undefined && !lead)
      throw new DomainError("invalid_to_number", "A phone call needs to_number, or a lead_id to call.");
    return;
  }
  if (to !== undefined) throw new DomainError("invalid_to_number", "A browser call has no to_number.");
  if (from !== undefined) throw new DomainError("invalid_from_number", "A browser call has no from_number.");
}

/**
 * Starts a call, here or in another process. `remember` stores the answer for the request's idempotency key, together with
 * the event.
 * @returns the call as `initiating`, whatever it has become meanwhile
 * @throws DomainError what `startHere` and `startElsewhere` throw
 */
export async function startCall(
  deps: CallsDeps,
  request: CallRequest,
  remember?: RememberAnswer,
): Promise<CreatedCall> {
  const { voice } = deps;
  if (voice !== null && voice.room() > 0) return startHere(deps, voice, request, { remember });
  // What a campaign wants is known to its dialer only, and who calls us is at this process's door.
  if (request.campaign || request.inbound)
    throw new DomainError("concurrency_limit", "This process takes no more calls.");
  return startElsewhere(deps, request, remember);
}

/**
 * Starts a call in this process: stores it, asks the carrier, and answers once that has accepted. Reports `call.started`.
 * @throws DomainError what `openCall` throws; then carrier_dial_failed, voice_carrier_blocked, no_voice_carrier_available,
 * concurrency_limit, voice_provider_unavailable, which leave a failed call that costs nothing; call_creation_failed,
 * call_record_failed, org_lookup_failed, lead_lookup_failed
 */
export function startHere(
  deps: CallsDeps,
  voice: VoiceHost,
  request: CallRequest,
  hooks: StartHooks,
): Promise<CreatedCall> {
  return voice.starting(async () => {
    const opened = await failsAs("call_record_failed", "The call could not be stored.", () =>
      deps.database.transaction(async (transaction) => {
        const call = await openCall(deps, transaction, voice, request);
        await hooks.opened?.(transaction, call.callId);
        return call;
      }),
    );
    voice.between.add(opened.callId);
    try {
      return await place(deps, voice, opened, hooks.remember, request.inbound);
    } finally {
      voice.between.delete(opened.callId);
    }
  });
}

async function place(
  deps: CallsDeps,
  voice: VoiceHost,
  opened: OpenedCall,
  remember: StartHooks["remember"],
  inbound: InboundParty | undefined,
): Promise<CreatedCall> {
  // What happens to the call is stored after its start is, so that nothing is told of a call that wasn't accepted.
  let settle = () => {};
  const accepted = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const ports = createCallPorts(deps, voice, opened, accepted);
  let live: LiveCall;
  try {
    live =
      opened.medium === "browser"
        ? await voice.plane.startBrowserCall(opened.setup, ports)
        : await voice.plane.startPhoneCall(opened.setup, ports, dialOf(deps, voice, opened, inbound));
  } catch (error) {
    settle();
    throw await refuse(deps, opened, error);
  }
  try {
    return await failsAs("call_record_failed", "The call could not be stored.", () =>
      accept(deps, opened, live.sid, remember),
    );
  } catch (error) {
    settle();
    // Nobody will ever know this call's id.
    await live.hangup("its start could not be stored");
    throw error;
  } finally {
    settle();
  }
}

function dialOf(deps: CallsDeps, voice: VoiceHost, opened: OpenedCall, inbound: InboundParty | undefined) {
  const { callId, from, to } = opened;
  // Nobody is dialed: it gives the call that is there.
  if (inbound) return { carrier: inbound.carrier, from: from ?? "", to: to! };
  const carrier = dialInOrder({
    own: opened.carrier!,
    order: deps.config.carrierFallbacks,
    carriers: voice.carriers,
    onTaken(name) {
      // Stored with the acceptance; a transfer dials there, too.
      opened.carrier = name;
    },
    onRefused: (name, { code, message }) =>
      deps.logger.warn(
        { call_id: callId, carrier: name, code, why: message },
        "a carrier didn't take a call",
      ),
  });
  return { carrier, from: from!, to: to! };
}

/** The call that wasn't taken ends as failed. @returns what the request is answered with */
async function refuse(deps: CallsDeps, opened: OpenedCall, error: unknown): Promise<DomainError> {
  const refusal = refusalOf(error);
  await deps.database
    .transaction((transaction) =>
      endCall(deps, transaction, {
        organizationId: opened.organizationId,
        callId: opened.callId,
        status: "failed",
        outcome: refusal.outcome,
        reason: refusal.error.message,
        refusedAs: refusal.error.code,
        at: deps.clock.now(),
        answeredAt: null,
        recordingBytes: null,
      }),
    )
    // The recovery ends it when its lease has run out.
    .catch((cause: unknown) =>
      deps.logger.error({ err: cause, call_id: opened.callId }, "a refused call stays open"),
    );
  return refusal.error;
}

function refusalOf(error: unknown): { error: DomainError; outcome: string } {
  if (error instanceof CarrierRefusal)
    return { error: new DomainError(error.code, error.message), outcome: error.outcome };
  if (error instanceof EngineUnavailable) {
    const unavailable = new DomainError(
      "voice_provider_unavailable",
      "The voice engine could not be started.",
    );
    unavailable.cause = error;
    return { error: unavailable, outcome: "failed" };
  }
  const failed = new DomainError("call_creation_failed", "The call could not be started.");
  failed.cause = error;
  return { error: failed, outcome: "failed" };
}

/** Stores that the call was accepted, with its event and the answer to the request. */
function accept(
  deps: CallsDeps,
  opened: OpenedCall,
  sid: string,
  remember: StartHooks["remember"],
): Promise<CreatedCall> {
  const { organizationId, callId } = opened;
  const answer = answerOf(deps, opened, sid);
  return deps.database.transaction(async (transaction) => {
    await transaction.query({ ...sql.acceptCall, values: [organizationId, callId, sid, opened.carrier] });
    // What a campaign begins is no news to who uses the API.
    if (opened.campaignId === null)
      await recordEvents(deps, transaction, [
        {
          organizationId,
          type: "call.started",
          data: {
            call_id: callId,
            direction: directionOf(opened.medium),
            agent_id: opened.agentId,
            lead_id: opened.leadId,
            from_number: opened.from,
            to_number: opened.to,
          },
        },
      ]);
    await remember?.(transaction, 201, answer);
    return answer;
  });
}

function answerOf(deps: CallsDeps, opened: OpenedCall, sid: string): CreatedCall {
  const { callId, medium, accessToken } = opened;
  return {
    id: callId,
    call_sid: sid,
    lead_id: opened.leadId,
    campaign_id: opened.campaignId,
    agent_id: opened.agentId,
    medium,
    direction: directionOf(medium),
    to_number: opened.to,
    from_number: opened.from,
    status: "initiating",
    call_outcome: null,
    disposition: null,
    duration: null,
    duration_seconds: null,
    created_at: timestamp(opened.createdAt),
    ended_at: null,
    recording_url: null,
    metadata: opened.metadata,
    ...(accessToken === null
      ? {}
      : {
          browser_session: {
            access_token: accessToken,
            expires_at: timestamp(opened.createdAt + CONNECT_WITHIN_MS),
            connect_url: `${deps.config.public.url}/v1/calls/${callId}/connect`,
            ice_servers: [...deps.config.iceServers],
          },
        }),
  };
}
