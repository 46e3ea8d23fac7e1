import type { BrowserEvent, BrowserLeg, BrowserLegs, IceServer } from "../browser/browser-leg.ts";
import type { CallSession, CallSessionDeps } from "./call-session.ts";
import { openCallSession } from "./open-call-session.ts";
import type { Ending } from "./outcomes.ts";
import type { CallPorts, CallSetup } from "./ports.ts";

export interface BrowserCallDeps extends CallSessionDeps {
  browserLegs: BrowserLegs;
  iceServers: readonly IceServer[];
}

export interface BrowserCall {
  session: CallSession;
  sid: string;
  connect(offerSdp: string): Promise<string>;
}

const CONNECTS_WITHIN_MS = 60_000;
/** A page that connects in the last moment has this long until its audio flows. */
const MEDIA_WITHIN_MS = 10_000;
const NOT_CONNECTED: Ending = {
  status: "failed",
  outcome: "not_connected",
  reason: "The browser didn't connect in time.",
};

/**
 * Waits for a page.
 * @throws EngineUnavailable
 */
export async function startBrowserCall(
  deps: BrowserCallDeps,
  setup: CallSetup,
  ports: CallPorts,
): Promise<BrowserCall> {
  const { clock, browserLegs, iceServers } = deps;
  let leg: BrowserLeg | undefined;
  const send = (event: BrowserEvent) => leg?.sendEvent(event);
  const session = await openCallSession(deps, {
    setup,
    ports,
    onStatus: (status) => send({ type: "state", status }),
    release(status, reason) {
      send({ type: "ended", status, reason });
      leg?.close();
    },
  });
  try {
    leg = browserLegs.open({
      iceServers,
      onEvent(message) {
        if (message.type === "hangup") void session.hangup("The person hung up.");
        else session.keyed(message.digit);
      },
    });
  } catch (error) {
    session.discard();
    throw error;
  }
  const opened = leg;
  session.placed();
  session.onTurn(({ role, source, text, startMs, endMs }) =>
    send({ type: "turn", role, source, text, start_ms: startMs, end_ms: endMs }),
  );

  let cancel: () => void;
  const expectMediaUntil = (at: number) => {
    cancel?.();
    cancel = clock.schedule(at, () => {
      if (session.status() !== "in-progress") session.finish(NOT_CONNECTED);
    });
  };
  const expectedBy = clock.now() + CONNECTS_WITHIN_MS;
  expectMediaUntil(expectedBy);
  void session.ended.then(() => cancel());
  opened.onClosed(() => {
    if (session.status() === "in-progress") session.left("The page was closed.");
    else session.finish({ ...NOT_CONNECTED, reason: "The page was closed before it was connected." });
  });

  return {
    session,
    sid: `web_${setup.callId}`,
    async connect(offerSdp) {
      const answer = await opened.connect(offerSdp);
      const stored = session.ringing();
      expectMediaUntil(Math.max(expectedBy, clock.now() + MEDIA_WITHIN_MS));
      opened.media.onFirstAudio(() => session.answered(opened.media, false));
      // Who has the answer reads a call that is initiated.
      await stored;
      return answer;
    },
  };
}
