import type { CarrierCall, CarrierEvent } from "../carriers/carrier.ts";
import { FRAME_MS, FRAME_SAMPLES, type MediaLeg } from "../media/media-leg.ts";
import { createPlayout } from "../media/playout.ts";
import type { TransferTarget } from "./ports.ts";

/** A warm transfer: calls a human, tells them who is on the line, and joins the two. Driven by the first leg's ticks. */
export interface Transfer {
  /**
   * To be called every 20 ms.
   * @param caller what the caller says: 160 samples
   * @returns what the human says, once both are joined: 160 samples, valid until the next call; else null
   */
  tick(caller: Int16Array): Int16Array | null;
  readonly joined: boolean;
  /** The caller has gone, or the call ends: hangs up on the human. `settled` is told if it wasn't yet. Idempotent. */
  end(): void;
}

export interface TransferOptions {
  organizationId: string;
  target: TransferTarget;
  ringTimeoutMs: number;
  /** What the human hears before being joined; rejects when it can't be spoken (they are joined without). */
  briefing: Promise<Int16Array>;
  /** How it went: told once, when joined or when it has failed. */
  settled(outcome: "success" | "failed", reason: string): void;
  /** A joined human has hung up, or their audio has stopped. */
  onLeft(reason: string): void;
  /** Words that the carrier knows the human said. */
  onSaid(text: string): void;
}

/** From dialing to joining. */
const JOINS_WITHIN_MS = 90_000;
/** People lift the phone to their ear first. */
const BEFORE_BRIEFING_MS = 500;
const NO_AUDIO_MS = 30_000;
const SILENCE = new Int16Array(FRAME_SAMPLES);

export function startTransfer(options: TransferOptions): Transfer {
  const { target, settled, onLeft } = options;
  let state: "dialing" | "briefing" | "joined" | "over" = "dialing";
  let call: CarrierCall | undefined;
  let leg: MediaLeg | undefined;
  let elapsedMs = 0;
  let quietMs = 0;
  let briefed = false;
  const playout = createPlayout({ onPlayed: () => (briefed = true) });

  const release = () => {
    leg?.close();
    leg = undefined;
    call?.hangup().catch(() => undefined);
  };
  const finish = (reason: string) => {
    const before = state;
    if (before === "over") return;
    state = "over";
    release();
    if (before === "joined") onLeft(reason);
    else settled("failed", reason);
  };

  const answered = (media: MediaLeg) => {
    if (state !== "dialing") return media.close();
    leg = media;
    state = "briefing";
    options.briefing.then(
      (samples) => {
        playout.push("briefing", new Int16Array((BEFORE_BRIEFING_MS / FRAME_MS) * FRAME_SAMPLES));
        playout.push("briefing", samples);
        playout.end("briefing");
      },
      () => (briefed = true),
    );
  };
  const onEvent = (event: CarrierEvent) => {
    if (event.type === "answered") answered(event.media);
    else if (event.type === "said" && state === "joined") options.onSaid(event.text);
    else if (event.type === "ended") {
      finish(state === "joined" ? "The colleague hung up." : `The colleague's call ended: ${event.cause}.`);
    }
  };

  // Looked at only once the human answers: until then nobody handles what it rejects with.
  options.briefing.catch(() => undefined);
  const dial = async () => {
    const { carrier, transferId, from, to } = target;
    try {
      const placed = await carrier.dial({
        organizationId: options.organizationId,
        callId: transferId,
        from,
        to,
        ringTimeoutMs: options.ringTimeoutMs,
      });
      call = placed;
      if (state === "over") await placed.hangup();
      placed.onEvent(onEvent);
    } catch (error) {
      finish(`The colleague couldn't be called: ${error instanceof Error ? error.message : "refused"}`);
    }
  };
  void dial();

  return {
    tick(caller) {
      if (state === "over") return null;
      elapsedMs += FRAME_MS;
      const heard = leg?.receive() ?? null;
      if (state === "joined") {
        quietMs = heard && !heard.concealed ? 0 : quietMs + FRAME_MS;
        if (quietMs >= NO_AUDIO_MS) {
          finish("No audio came from the colleague any more.");
          return null;
        }
        leg?.send(caller);
        return heard?.samples ?? SILENCE;
      }
      leg?.send(playout.next());
      if (state === "briefing" && briefed) {
        state = "joined";
        settled("success", "The colleague has joined.");
      } else if (elapsedMs >= JOINS_WITHIN_MS) {
        finish("The colleague didn't join in time.");
      }
      return null;
    },
    get joined() {
      return state === "joined";
    },
    end() {
      const before = state;
      state = "over";
      if (before === "over") return;
      release();
      if (before !== "joined") settled("failed", "The call ended before the colleague had joined.");
    },
  };
}
