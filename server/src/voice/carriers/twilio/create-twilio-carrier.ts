import type { Clock } from "../../../clock.ts";
import { type Carrier, CarrierRefusal } from "../carrier.ts";
import type { AnswerInbound } from "../inbound.ts";
import { readCallEvent, type TwilioCallEvent } from "./call-event.ts";
import { dialRefusal } from "./dial-refusal.ts";
import { createTwilioApi, type TwilioApiOptions } from "./twilio-api.ts";
import {
  createTwilioCall,
  type TwilioCall,
  type TwilioCallDeps,
  type TwilioCallOptions,
} from "./twilio-call.ts";
import { connectTwiml, EMPTY_TWIML, rejectTwiml } from "./twiml.ts";

export interface TwilioCarrier extends Carrier {
  /** Takes calls too, from now on. */
  answerWith(answer: AnswerInbound): void;
  /**
   * A form about a call that we have placed, whose signature is right. What can't be placed is dropped: Twilio would only send it
   * again. @param callId as `dial` was given it
   */
  takeStatus(callId: string, form: URLSearchParams): void;
  /** A form about a call that comes in: that it does, or how it ended. @returns what is to be done with it, as TwiML */
  takeInbound(form: URLSearchParams): Promise<string>;
}

export interface TwilioCarrierOptions extends TwilioApiOptions, Omit<TwilioCallDeps, "api" | "logger"> {
  clock: Clock;
  logger: TwilioCallDeps["logger"] & { debug(fields: object, message: string): void };
}

/** What Twilio takes; the carrier minds the exact ring time by itself. */
const LONGEST_RING_SECONDS = 600;
/** How long the ends of calls may take when the service is closed. Real time. */
const GRACE_MS = 2_000;
/** Callbacks come again within a minute, if at all. */
const REMEMBERED_FOR_MS = 600_000;

/** A carrier over Twilio: calls are placed by HTTP, told of by callbacks, and heard over WebSockets. */
export function createTwilioCarrier(options: TwilioCarrierOptions): TwilioCarrier {
  const { clock, logger } = options;
  const api = createTwilioApi(options);
  /**
   * Those that we have placed, by our own id, and for a while those that Twilio may have taken without our knowing: they are hung
   * up when their callbacks come.
   */
  const placed = new Map<string, TwilioCall>();
  /** Those that came in, by Twilio's name, with what Twilio was told; and for a while those that are over. */
  const offered = new Map<string, { call: TwilioCall; twiml: Promise<string> }>();
  /** When what is over may be forgotten. */
  const remembered: { untilMs: number; forget(): void }[] = [];
  const leaving = new Set<Promise<void>>();
  let answerInbound: AnswerInbound | null = null;
  let isClosed = false;
  let closing: Promise<void> | undefined;

  function open(about: Omit<TwilioCallOptions, "onEnded">, forget: () => void): TwilioCall {
    const now = clock.now();
    while ((remembered[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= now) remembered.shift()!.forget();
    const call = createTwilioCall(
      { ...options, api },
      {
        ...about,
        onEnded() {
          const settled = call.settled().finally(() => leaving.delete(settled));
          leaving.add(settled);
          if (about.inboundSid === null && call.sid !== null) forget();
          else remembered.push({ untilMs: clock.now() + REMEMBERED_FOR_MS, forget });
        },
      },
    );
    return call;
  }

  async function offer(call: TwilioCall, { from, to }: TwilioCallEvent): Promise<string> {
    const refuse = (answer: Parameters<typeof rejectTwiml>[0]) => {
      call.refused();
      return rejectTwiml(answer);
    };
    if (isClosed || !answerInbound) return refuse("unavailable");
    const carrier: Carrier = { name: "twilio", dial: async () => call.call, close: async () => undefined };
    try {
      const answer = await answerInbound({ organizationId: null, from: callerOf(from), to, carrier });
      if (answer !== "taken") return refuse(answer);
    } catch (error) {
      logger.error({ err: error }, "a call that came in couldn't be worked on");
      return refuse("unavailable");
    }
    if (call.isOver()) return rejectTwiml("unavailable");
    call.connecting();
    return connectTwiml(call.streamUrl);
  }

  return {
    name: "twilio",
    async dial({ callId, from, to, ringTimeoutMs }) {
      if (isClosed) throw shuttingDown();
      const call = open({ name: callId, inboundSid: null, ringTimeoutMs }, () => {
        if (placed.get(callId) === call) placed.delete(callId);
      });
      placed.set(callId, call);
      try {
        const sid = await api.dial({
          from,
          to,
          timeoutSeconds: Math.min(Math.max(Math.ceil(ringTimeoutMs / 1_000), 1), LONGEST_RING_SECONDS),
          twiml: connectTwiml(call.streamUrl),
          statusUrl: `${options.voiceUrl}/v1/callbacks/twilio/calls/${encodeURIComponent(callId)}`,
        });
        call.placed(sid);
      } catch (error) {
        // When callbacks of it have come already, it was taken all the same.
        if (call.sid === null) {
          call.giveUp();
          throw isClosed ? shuttingDown() : dialRefusal(error);
        }
        call.placed(call.sid);
      }
      if (!isClosed) return call.call;
      await call.call.hangup();
      throw shuttingDown();
    },
    answerWith(answer) {
      answerInbound = answer;
    },
    takeStatus(callId, form) {
      const event = readCallEvent(form);
      const call = placed.get(callId);
      if (event && call) call.take(event.callSid, event);
      else
        logger.debug(
          { status: form.get("CallStatus") },
          "a callback about no call of this process was dropped",
        );
    },
    async takeInbound(form) {
      const event = readCallEvent(form);
      if (!event || form.get("AccountSid") !== options.accountSid) return EMPTY_TWIML;
      const known = offered.get(event.callSid);
      if (known) {
        known.call.take(event.callSid, event);
        return event.status === "ringing" ? known.twiml : EMPTY_TWIML;
      }
      if (event.status !== "ringing") return EMPTY_TWIML;
      const { callSid } = event;
      const call = open({ name: callSid, inboundSid: callSid, ringTimeoutMs: 0 }, () =>
        offered.delete(callSid),
      );
      const twiml = offer(call, event);
      offered.set(callSid, { call, twiml });
      return twiml;
    },
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    isClosed = true;
    const all = [...placed.values(), ...[...offered.values()].map(({ call }) => call)];
    await Promise.all(all.map(({ call }) => call.hangup()));
    await within(GRACE_MS, Promise.allSettled(leaving));
    await api.close();
  }
}

function shuttingDown(): CarrierRefusal {
  return new CarrierRefusal("no_voice_carrier_available", "The carrier is shutting down.");
}

/** Callers that keep their number back are `anonymous`, `+266696687` ("anonymous" on a keypad) and the like. */
function callerOf(from: string): string | null {
  if (/^\+?(?:266696687|7378742833|2562533|8656696|86282452253)$/.test(from)) return null;
  const digits = from.replace(/[-.() ]/g, "");
  return /^\+?\d{3,15}$/.test(digits) ? digits : null;
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
