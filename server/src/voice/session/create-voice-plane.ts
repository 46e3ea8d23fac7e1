import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { BrowserLegs, IceServer } from "../browser/browser-leg.ts";
import { type Carrier, CarrierRefusal } from "../carriers/carrier.ts";
import type { VoiceEngine } from "../engines/engine.ts";
import type { MediaClock } from "../media/media-clock.ts";
import type { Speech } from "../speech/speech.ts";
import type { CallSession } from "./call-session.ts";
import type { Detectors } from "./detectors.ts";
import { startBrowserCall } from "./start-browser-call.ts";
import { startPhoneCall } from "./start-phone-call.ts";
import { createToolGates } from "./tool-gate.ts";
import type { LiveBrowserCall, LiveCall, VoicePlane } from "./voice-plane.ts";

/** All of it is the plane's from here on: `close` closes it. */
export interface VoicePlaneOptions {
  clock: Clock;
  mediaClock: Pick<MediaClock, "add" | "close">;
  engine: VoiceEngine;
  speech: Speech;
  detectors: Detectors;
  browserLegs: BrowserLegs;
  iceServers: readonly IceServer[];
  /** Those that calls are given to `startPhoneCall` with. */
  carriers: readonly Carrier[];
  logger: Logger;
  /** So long may a phone ring: 30 s when left out. */
  ringTimeoutMs?: number;
}

const RING_TIMEOUT_MS = 30_000;

export function createVoicePlane(options: VoicePlaneOptions): VoicePlane {
  const { logger } = options;
  const deps = {
    ...options,
    ringTimeoutMs: options.ringTimeoutMs ?? RING_TIMEOUT_MS,
    toolGates: createToolGates(),
  };
  const calls = new Map<string, { session: CallSession; call: LiveCall }>();
  const browserCalls = new Map<string, LiveBrowserCall>();
  const starting = new Set<Promise<unknown>>();
  let draining = false;
  let closing: Promise<void> | undefined;

  const refuseWhileDraining = () => {
    if (draining) throw new CarrierRefusal("concurrency_limit", "This process takes no more calls.");
  };
  /** Starts count as running: a drain waits for them too. */
  const counted = async <Call>(start: () => Promise<Call>): Promise<Call> => {
    refuseWhileDraining();
    const started = start();
    starting.add(started);
    try {
      return await started;
    } finally {
      starting.delete(started);
    }
  };
  const keep = (callId: string, sid: string, session: CallSession): LiveCall => {
    const call: LiveCall = {
      callId,
      sid,
      status: session.status,
      hangup: session.hangup,
      optedOut: session.optedOut,
      ended: session.ended,
      onTurn: session.onTurn,
    };
    calls.set(callId, { session, call });
    void session.ended.then(() => {
      calls.delete(callId);
      browserCalls.delete(callId);
    });
    return call;
  };
  const endAll = () => {
    for (const { session } of calls.values()) {
      session.finish({ status: "failed", outcome: "failed", reason: "The service was shut down." });
    }
  };
  const settled = async () => {
    while (calls.size > 0 || starting.size > 0) {
      await Promise.allSettled([...starting, ...[...calls.values()].map(({ session }) => session.ended)]);
    }
  };

  const close = async () => {
    draining = true;
    endAll();
    await Promise.allSettled(starting);
    endAll();
    await settled();
    const owned = [...options.carriers, options.browserLegs, options.engine, options.speech];
    const closed = await Promise.allSettled(owned.map(async (part) => part.close()));
    for (const result of closed) {
      if (result.status === "rejected")
        logger.error({ err: result.reason as unknown }, "a part of the voice plane couldn't be closed");
    }
    options.mediaClock.close();
  };

  return {
    startPhoneCall: (setup, ports, dial) =>
      counted(async () => {
        const { session, sid, listen } = await startPhoneCall(deps, setup, ports, dial);
        const call = keep(setup.callId, sid, session);
        listen();
        return call;
      }),
    startBrowserCall: (setup, ports) =>
      counted(async () => {
        const { session, sid, connect } = await startBrowserCall(deps, setup, ports);
        const call: LiveBrowserCall = { ...keep(setup.callId, sid, session), connect };
        browserCalls.set(setup.callId, call);
        return call;
      }),
    find: (callId) => calls.get(callId)?.call,
    findBrowserCall: (callId) => browserCalls.get(callId),
    running: () => [...calls.keys()],
    async drain() {
      draining = true;
      await settled();
    },
    close: () => (closing ??= close()),
  };
}
