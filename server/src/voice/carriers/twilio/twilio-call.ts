import type { Clock } from "../../../clock.ts";
import type { MediaLeg } from "../../media/media-leg.ts";
import { createCallEvents } from "../call-events.ts";
import type { CarrierCall, EndCause } from "../carrier.ts";
import { hangUpAtVendor } from "../hang-up-at-vendor.ts";
import { type MediaSockets, openMediaSocketLeg } from "../media-socket/index.ts";
import { endCauseOf, type TwilioEnd } from "./end-causes.ts";
import { isOver, type TwilioApi } from "./twilio-api.ts";
import { createTwilioDialect } from "./twilio-dialect.ts";

/** One call at Twilio, in either direction: what its callbacks, its media socket and we ourselves do to it. */
export interface TwilioCall {
  readonly call: CarrierCall;
  /** Where Twilio brings its audio. */
  readonly streamUrl: string;
  /** Twilio's own name for it; null while that isn't known. */
  readonly sid: string | null;
  isOver(): boolean;
  /** Twilio has taken it. */
  placed(callSid: string): void;
  /** Twilio hasn't taken it, as far as we know: if it has all the same, it is hung up as soon as that is heard of. */
  giveUp(): void;
  /** Twilio tells of it. */
  take(callSid: string, told: TwilioEnd): void;
  /** Of a call that comes in: it has been told where its audio goes. */
  connecting(): void;
  /** Of a call that comes in and is refused in the answer to Twilio. */
  refused(): void;
  /** Resolves when nothing of it is under way any more. */
  settled(): Promise<void>;
}

export interface TwilioCallDeps {
  api: TwilioApi;
  clock: Clock;
  accountSid: string;
  sockets: Pick<MediaSockets, "expect">;
  /** Where Twilio reaches this process, with http or https. */
  voiceUrl: string;
  logger: {
    error(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** Of the media: see MediaSocketLegOptions. */
  now?: (() => number) | undefined;
}

export interface TwilioCallOptions {
  /** Ours, until Twilio has told its own. */
  name: string;
  /** Of a call that comes in. */
  inboundSid: string | null;
  ringTimeoutMs: number;
  /** It is over: once. */
  onEnded(): void;
}

/** From the answer until audio flows. */
const MEDIA_WITHIN_MS = 10_000;
/** So long Twilio may say nothing of a call that it has taken: then it is looked at, again and again. */
const FIRST_WORD_WITHIN_MS = 15_000;
/** Calls wait in Twilio's queue, by default for a turn each second; no longer than this for somebody who isn't called yet. */
const LONGEST_QUEUED_MS = 120_000;
/** From the end of the audio until the end of the call is told: it comes another way. */
const END_WITHIN_MS = 3_000;
/** Whether a call that is up still is. */
const LOOK_EVERY_MS = 60_000;

export function createTwilioCall(deps: TwilioCallDeps, options: TwilioCallOptions): TwilioCall {
  const { api, clock, logger } = deps;
  const isInbound = options.inboundSid !== null;
  const events = createCallEvents();
  const begunAt = clock.now();
  let sid = options.inboundSid;
  let leg: MediaLeg | null = null;
  let hasRung = false;
  let isConnecting = false;
  let isUp = false;
  let isLost = false;
  let owesHangup = false;
  let leaving: Promise<void> = Promise.resolve();
  let stopWaiting: () => void = () => undefined;
  const fields = () => ({ call_sid: sid });

  const socket = deps.sockets.expect("twilio", (opened) => {
    if (events.isOver()) return opened.close(1000);
    leg = openMediaSocketLeg({
      socket: opened,
      dialect: createTwilioDialect({
        accountSid: deps.accountSid,
        isExpected: (callSid) => callSid === named(callSid),
      }),
      onStarted: answered,
      onLost: audioLost,
      onError: (error) => logger.error({ ...fields(), err: error }, "a listener of a call's media failed"),
      ...(deps.now ? { now: deps.now } : {}),
    });
  });

  function wait(ms: number, then: () => void): void {
    stopWaiting();
    stopWaiting = clock.schedule(clock.now() + ms, then);
  }

  function end(cause: EndCause, isOverThere: boolean): void {
    if (events.isOver()) return;
    stopWaiting();
    socket.cancel();
    leg?.close();
    if (!isOverThere) letGo();
    options.onEnded();
    events.tell({ type: "ended", cause });
  }

  /** Ends it at Twilio, in its own time. */
  function letGo(): void {
    if (sid === null) owesHangup = true;
    else leaving = release(sid);
  }

  function release(callSid: string): Promise<void> {
    return hangUpAtVendor(deps, "Twilio", callSid, () => api.hangup(callSid, isUp || isInbound));
  }

  function fail(message: string, more: object = {}): void {
    if (events.isOver()) return;
    logger.warn({ ...fields(), ...more }, message);
    end("failed", false);
  }

  /** @returns how Twilio calls it */
  function named(callSid: string): string {
    if (sid !== null) return sid;
    sid = callSid;
    if (owesHangup) leaving = release(sid);
    return sid;
  }

  function rang(): void {
    if (hasRung || isConnecting || isUp || isInbound || events.isOver()) return;
    hasRung = true;
    wait(options.ringTimeoutMs, () => end("no_answer", false));
    events.tell({ type: "ringing" });
  }

  /** Its audio flows: what connects it is done once the call is answered. */
  function answered(): void {
    if (isUp || isLost || events.isOver()) return;
    isUp = true;
    wait(LOOK_EVERY_MS, look);
    events.tell({ type: "answered", media: leg! });
  }

  function awaitAudio(): void {
    if (isConnecting || isUp || isLost || events.isOver()) return;
    isConnecting = true;
    wait(MEDIA_WITHIN_MS, () =>
      fail("Twilio didn't bring a call's audio: can it reach VOICE_URL, also by WebSocket?"),
    );
  }

  /** What nobody tells of is found out. */
  function look(): void {
    if (sid === null) return;
    wait(isUp ? LOOK_EVERY_MS : FIRST_WORD_WITHIN_MS, look);
    lookUp(sid, () => {
      if (!isUp && !hasRung && clock.now() - begunAt >= LONGEST_QUEUED_MS)
        fail("a call was never placed by Twilio, which has taken it");
    });
  }

  /** @param still when it isn't over, or nobody knows */
  function lookUp(callSid: string, still: () => void): void {
    api
      .statusOf(callSid)
      .then(
        (status) => take({ status: status ?? "completed", sipCode: null, errorCode: null }),
        (error: unknown) =>
          logger.warn({ ...fields(), err: error }, "a call couldn't be looked up at Twilio"),
      )
      .finally(() => {
        if (!events.isOver()) still();
      });
  }

  function take(told: TwilioEnd): void {
    if (events.isOver()) return;
    if (isOver(told.status)) end(endCauseOf(told, isUp), true);
    else if (told.status === "ringing") rang();
    else if (told.status === "in-progress") awaitAudio();
  }

  /** Most often the call has ended too; that is told by a callback. */
  function audioLost(reason: string): void {
    if (events.isOver()) return;
    isLost = true;
    const lost = () => fail("a call's audio broke", { reason });
    wait(END_WITHIN_MS, () => {
      wait(MEDIA_WITHIN_MS, lost);
      if (sid === null) lost();
      else lookUp(sid, lost);
    });
  }

  return {
    streamUrl: deps.voiceUrl.replace(/^http/, "ws") + socket.path,
    get sid() {
      return sid;
    },
    isOver: events.isOver,
    call: {
      get sid() {
        return sid ?? options.name;
      },
      isInbound,
      onEvent: events.onEvent,
      async hangup() {
        end(isUp ? "local_hangup" : "canceled", false);
      },
    },
    placed(callSid) {
      named(callSid);
      if (!hasRung && !isConnecting && !isUp && !isLost && !events.isOver()) wait(FIRST_WORD_WITHIN_MS, look);
    },
    giveUp() {
      end("failed", false);
    },
    take(callSid, told) {
      if (named(callSid) === callSid) take(told);
    },
    connecting: awaitAudio,
    refused() {
      end("failed", true);
    },
    async settled() {
      await leaving;
    },
  };
}
