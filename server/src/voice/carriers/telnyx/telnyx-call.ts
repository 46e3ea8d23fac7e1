import type { Clock } from "../../../clock.ts";
import type { MediaLeg } from "../../media/media-leg.ts";
import { createCallEvents } from "../call-events.ts";
import type { CarrierCall, EndCause } from "../carrier.ts";
import { hangUpAtVendor } from "../hang-up-at-vendor.ts";
import type { InboundAnswer } from "../inbound.ts";
import { type MediaSockets, openMediaSocketLeg } from "../media-socket/index.ts";
import type { TelnyxCallEvent } from "./call-event.ts";
import { endCauseOf } from "./hangup-causes.ts";
import { type CallCommand, isGone, type TelnyxApi } from "./telnyx-api.ts";
import { createTelnyxDialect } from "./telnyx-dialect.ts";

/** One call at Telnyx, in either direction: what its webhooks, its media socket and we ourselves do to it. */
export interface TelnyxCall {
  readonly call: CarrierCall;
  /** For the command that begins it. */
  readonly command: CallCommand;
  /** Telnyx's own name for it; null while that isn't known. */
  readonly id: string | null;
  /** Telnyx has taken it. */
  placed(callControlId: string): void;
  /** Telnyx hasn't taken it, as far as we know: if it has all the same, it is hung up as soon as that is heard of. */
  giveUp(): void;
  take(event: TelnyxCallEvent): void;
  /** Of a call that comes in and that nobody listens to. */
  refuse(answer: Exclude<InboundAnswer, "taken">): void;
  /** Resolves when nothing of it is under way any more. */
  settled(): Promise<void>;
}

export interface TelnyxCallDeps {
  api: TelnyxApi;
  clock: Clock;
  sockets: Pick<MediaSockets, "expect">;
  /** Where Telnyx reaches this process; with http or https. */
  voiceUrl: string;
  logger: {
    error(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** Of the media: see MediaSocketLegOptions. */
  now?: (() => number) | undefined;
}

export interface TelnyxCallOptions {
  /** Letters and digits that nobody else has: comes back with each event. */
  state: string;
  /** Of a call that comes in. */
  inboundId: string | null;
  ringTimeoutMs: number;
  /** It is over: once. */
  onEnded(): void;
}

/** From the answer until audio flows. */
const MEDIA_WITHIN_MS = 10_000;
/** Beyond the ring time, for the first word of a call that has been taken. */
const FIRST_WORD_WITHIN_MS = 10_000;
/** From the end of the audio until the end of the call is told: it comes another way. */
const END_WITHIN_MS = 3_000;
/** Whether a call that is up still is. */
const LOOK_EVERY_MS = 60_000;
/** Of audio that came before the answer. */
const MOST_WAITING_MS = 40;
/** More never waits. */
const MOST_FRAMES = 100;

const REJECTIONS = {
  no_agent: "CALL_REJECTED",
  unavailable: "CALL_REJECTED",
  busy: "USER_BUSY",
  full: "USER_BUSY",
} as const;

export function createTelnyxCall(deps: TelnyxCallDeps, options: TelnyxCallOptions): TelnyxCall {
  const { api, clock, logger } = deps;
  const isInbound = options.inboundId !== null;
  const events = createCallEvents();
  let id = options.inboundId;
  let leg: MediaLeg | null = null;
  let hasAudio = false;
  let hasRung = false;
  /** We have told Telnyx to answer. */
  let isTaken = false;
  let isAnswered = false;
  let isUp = false;
  let isLost = false;
  let owesHangup = false;
  let leaving: Promise<void> = Promise.resolve();
  let stopWaiting: () => void = () => undefined;
  const socket = deps.sockets.expect("telnyx", (opened) => {
    if (events.isOver()) return opened.close(1000);
    leg = openMediaSocketLeg({
      socket: opened,
      dialect: createTelnyxDialect({
        isOurs: (callControlId) => id === null || id === callControlId,
        onProblem: (code) =>
          logger.warn({ ...fields(), code }, "Telnyx reports a problem with a call's audio"),
      }),
      onStarted() {
        hasAudio = true;
        answerWhenReady();
      },
      onLost: audioLost,
      onError: (error) => logger.error({ ...fields(), err: error }, "a listener of a call's media failed"),
      ...(deps.now ? { now: deps.now } : {}),
    });
  });
  const command: CallCommand = {
    state: options.state,
    streamUrl: deps.voiceUrl.replace(/^http/, "ws") + socket.path,
    webhookUrl: `${deps.voiceUrl}/v1/callbacks/telnyx/calls`,
  };

  const fields = () => ({ call_sid: id });

  function wait(ms: number, then: () => void): void {
    stopWaiting();
    stopWaiting = clock.schedule(clock.now() + ms, then);
  }

  function end(cause: EndCause, release: "hangup" | "USER_BUSY" | "CALL_REJECTED" | null): void {
    if (events.isOver()) return;
    stopWaiting();
    socket.cancel();
    leg?.close();
    if (release !== null) letGo(release);
    options.onEnded();
    events.tell({ type: "ended", cause });
  }

  /** Ends it at Telnyx, in its own time. */
  function letGo(how: "hangup" | "USER_BUSY" | "CALL_REJECTED"): void {
    if (id === null) owesHangup = true;
    else leaving = release(id, how);
  }

  function release(callControlId: string, how: "hangup" | "USER_BUSY" | "CALL_REJECTED"): Promise<void> {
    return hangUpAtVendor(deps, "Telnyx", callControlId, () =>
      how === "hangup" ? api.hangup(callControlId) : api.reject(callControlId, how),
    );
  }

  function fail(message: string, more: object = {}): void {
    if (events.isOver()) return;
    logger.warn({ ...fields(), ...more }, message);
    end("failed", "hangup");
  }

  function named(callControlId: string): void {
    if (id !== null) return;
    id = callControlId;
    if (owesHangup) leaving = release(id, "hangup");
  }

  function rang(): void {
    if (hasRung || isAnswered || isInbound || isLost || events.isOver()) return;
    hasRung = true;
    wait(options.ringTimeoutMs, () => end("no_answer", "hangup"));
    events.tell({ type: "ringing" });
  }

  function answered(): void {
    if (isAnswered || events.isOver()) return;
    isAnswered = true;
    if (isLost) return;
    awaitAudio();
    answerWhenReady();
  }

  function awaitAudio(): void {
    wait(MEDIA_WITHIN_MS, () =>
      fail("Telnyx didn't bring a call's audio: can it reach VOICE_URL, also by WebSocket?"),
    );
  }

  function answerWhenReady(): void {
    if (!isAnswered || !hasAudio || isUp || isLost || events.isOver()) return;
    isUp = true;
    wait(LOOK_EVERY_MS, look);
    // What came while it rang was the ringing.
    for (let frame = 0; frame < MOST_FRAMES && leg!.stats().delayMs > MOST_WAITING_MS; frame++)
      leg!.receive();
    events.tell({ type: "answered", media: leg! });
  }

  /** An end that nobody tells of is found out. */
  function look(): void {
    wait(LOOK_EVERY_MS, look);
    api.isOver(id!).then(
      (isOver) => {
        if (isOver) end("remote_hangup", null);
      },
      (error: unknown) => logger.warn({ ...fields(), err: error }, "a call couldn't be looked up at Telnyx"),
    );
  }

  /** Most often the call has ended too; that is told by a webhook. */
  function audioLost(reason: string): void {
    if (events.isOver()) return;
    isLost = true;
    wait(END_WITHIN_MS, () => {
      const lost = () => fail("a call's audio broke", { reason });
      wait(MEDIA_WITHIN_MS, lost);
      if (id === null) return lost();
      api.isOver(id).then(
        (isOver) => (isOver ? end(isUp ? "remote_hangup" : "failed", null) : lost()),
        () => lost(),
      );
    });
  }

  /** Somebody listens: a call that comes in may be answered. */
  function answerInbound(): void {
    if (id === null || isTaken || events.isOver()) return;
    isTaken = true;
    awaitAudio();
    api.answer(id, command).catch((error: unknown) => {
      if (isGone(error)) return end("canceled", null);
      fail("Telnyx didn't answer a call that came in", { err: error });
    });
  }

  return {
    command,
    get id() {
      return id;
    },
    call: {
      get sid() {
        return id ?? options.state;
      },
      isInbound,
      onEvent(listener) {
        events.onEvent(listener);
        if (isInbound) answerInbound();
      },
      async hangup() {
        end(isUp ? "local_hangup" : "canceled", isInbound && !isTaken ? "CALL_REJECTED" : "hangup");
      },
    },
    placed(callControlId) {
      named(callControlId);
      if (hasRung || isAnswered || events.isOver()) return;
      wait(options.ringTimeoutMs + FIRST_WORD_WITHIN_MS, () =>
        fail("Telnyx tells nothing of a call that it has taken: can it reach VOICE_URL?"),
      );
    },
    giveUp() {
      end("failed", "hangup");
    },
    take({ callControlId, what }) {
      if (id !== null && id !== callControlId) return;
      named(callControlId);
      if (events.isOver()) return;
      switch (what.type) {
        case "initiated":
          return rang();
        case "answered":
          return answered();
        case "hangup":
          return end(endCauseOf(what.hangup, isUp), null);
        case "streaming_failed":
          if (hasAudio) return;
          return fail("Telnyx couldn't connect a call's audio");
        case "other":
      }
    },
    refuse(answer) {
      if (!isTaken) end("failed", REJECTIONS[answer]);
    },
    async settled() {
      await leaving;
    },
  };
}
