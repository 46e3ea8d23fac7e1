import type { Clock } from "../../clock.ts";
import type { Carrier, CarrierCall, CarrierEvent } from "../carriers/carrier.ts";
import { EngineUnavailable } from "../engines/engine.ts";
import type { CallSession, CallSessionDeps } from "./call-session.ts";
import { openCallSession } from "./open-call-session.ts";
import { unansweredEndings } from "./outcomes.ts";
import type { CallPorts, CallSetup } from "./ports.ts";

export interface PhoneCall {
  session: CallSession;
  sid: string;
}

/** A carrier that tells no end is given up: its own ring time, a trunk's 32 s and the trunks before it are over by then. */
const UNANSWERED_WITHIN_MS = 180_000;

/**
 * Asks the carrier for a call. Nothing of it has happened yet when this resolves: `listen` lets its events in.
 * @throws CarrierRefusal, EngineUnavailable
 */
export async function startPhoneCall(
  deps: CallSessionDeps,
  setup: CallSetup,
  ports: CallPorts,
  { carrier, from, to }: { carrier: Carrier; from: string; to: string },
): Promise<PhoneCall & { listen(): void }> {
  let call: CarrierCall | undefined;
  const session = await openCallSession(deps, { setup, ports, release: () => hangUp(call) });
  try {
    const { organizationId, callId } = setup;
    call = await carrier.dial({ organizationId, callId, from, to, ringTimeoutMs: deps.ringTimeoutMs });
  } catch (error) {
    session.discard();
    throw error;
  }
  const failure = session.engineFailure();
  if (failure !== null) {
    hangUp(call);
    session.discard();
    throw new EngineUnavailable(failure);
  }
  const placed = call;
  return { session, sid: placed.sid, listen: () => listen(deps.clock, session, placed) };
}

function listen(clock: Clock, session: CallSession, call: CarrierCall): void {
  session.placed();
  let answered = false;
  const cancel = clock.schedule(clock.now() + UNANSWERED_WITHIN_MS, () => {
    if (!answered) session.finish(unansweredEndings.no_answer);
  });
  void session.ended.then(cancel);

  call.onEvent((event: CarrierEvent) => {
    switch (event.type) {
      case "ringing":
        return void session.ringing();
      case "answered":
        answered = true;
        cancel();
        return session.answered(event.media, !call.isInbound);
      case "said":
        return session.said(event.text);
      case "ended": {
        cancel();
        if (!answered) return session.finish(unansweredEndings[event.cause]);
        if (event.cause === "failed" || event.cause === "congestion") {
          return session.finish({ status: "failed", outcome: "failed", reason: "The network failed." });
        }
        return session.left("The person hung up.");
      }
    }
  });
}

function hangUp(call: CarrierCall | undefined): void {
  call?.hangup().catch(() => undefined);
}
