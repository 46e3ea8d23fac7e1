import type { Clock } from "../../../clock.ts";
import { type Carrier, CarrierRefusal } from "../carrier.ts";
import type { AnswerInbound } from "../inbound.ts";
import { readCallEvent, type TelnyxCallEvent } from "./call-event.ts";
import { dialRefusal } from "./dial-refusal.ts";
import { createTelnyxApi, type TelnyxApiOptions } from "./telnyx-api.ts";
import { createTelnyxCall, type TelnyxCall, type TelnyxCallDeps } from "./telnyx-call.ts";

export interface TelnyxCarrier extends Carrier {
  /** Takes calls too, from now on. */
  answerWith(answer: AnswerInbound): void;
  /** The body of a webhook about calls, whose signature is right. What can't be placed is dropped: Telnyx would only send it again. */
  takeEvent(body: string): void;
}

export interface TelnyxCarrierOptions extends TelnyxApiOptions, Omit<TelnyxCallDeps, "api" | "logger"> {
  clock: Clock;
  logger: TelnyxCallDeps["logger"] & { debug(fields: object, message: string): void };
}

/** What Telnyx takes; the carrier minds the exact ring time by itself. */
const SHORTEST_RING_SECONDS = 5;
const LONGEST_RING_SECONDS = 600;
/** How long the ends of calls may take when the service is closed. Real time. */
const GRACE_MS = 2_000;
/** Events come again within a minute, if at all. */
const REMEMBERED_FOR_MS = 600_000;

/** A carrier over Telnyx's call control: calls are placed by HTTP, told of by webhooks, and heard over WebSockets. */
export function createTelnyxCarrier(options: TelnyxCarrierOptions): TelnyxCarrier {
  const { clock, logger, newToken } = options;
  const api = createTelnyxApi(options);
  /** By the state that comes back with each event: also some that are over. */
  const calls = new Map<string, TelnyxCall>();
  /** Those that came in, by Telnyx's own name: also some that are over. */
  const offered = new Map<string, TelnyxCall>();
  const leaving = new Set<Promise<void>>();
  let answerInbound: AnswerInbound | null = null;
  let isClosed = false;
  let closing: Promise<void> | undefined;

  function open(inboundId: string | null, ringTimeoutMs: number): TelnyxCall {
    const state = newToken();
    const call = createTelnyxCall(
      { ...options, api },
      {
        state,
        inboundId,
        ringTimeoutMs,
        onEnded() {
          const settled = call.settled().finally(() => leaving.delete(settled));
          leaving.add(settled);
          // One that Telnyx took without our knowing is hung up when its events come; one that is offered twice is taken once.
          clock.schedule(clock.now() + REMEMBERED_FOR_MS, () => {
            calls.delete(state);
            if (inboundId !== null) offered.delete(inboundId);
          });
        },
      },
    );
    calls.set(state, call);
    return call;
  }

  async function offer({ callControlId }: TelnyxCallEvent, from: string, to: string): Promise<void> {
    const call = open(callControlId, 0);
    offered.set(callControlId, call);
    if (isClosed || !answerInbound) return call.refuse("unavailable");
    const carrier: Carrier = { name: "telnyx", dial: async () => call.call, close: async () => undefined };
    try {
      const answer = await answerInbound({ organizationId: null, from: callerOf(from), to, carrier });
      if (answer !== "taken") call.refuse(answer);
    } catch (error) {
      logger.error({ err: error }, "a call that came in couldn't be worked on");
      call.refuse("unavailable");
    }
  }

  return {
    name: "telnyx",
    async dial({ from, to, ringTimeoutMs }) {
      if (isClosed) throw shuttingDown();
      const call = open(null, ringTimeoutMs);
      const seconds = Math.ceil(ringTimeoutMs / 1_000);
      const timeoutSeconds = Math.min(Math.max(seconds, SHORTEST_RING_SECONDS), LONGEST_RING_SECONDS);
      try {
        call.placed(await api.dial({ ...call.command, to, from, timeoutSeconds }));
      } catch (error) {
        // When events of it have come already, it was taken all the same.
        if (call.id === null) {
          call.giveUp();
          throw isClosed ? shuttingDown() : dialRefusal(error);
        }
        call.placed(call.id);
      }
      if (!isClosed) return call.call;
      await call.call.hangup();
      throw shuttingDown();
    },
    answerWith(answer) {
      answerInbound = answer;
    },
    takeEvent(body) {
      const event = readCallEvent(body);
      if (!event) return logger.debug({}, "a webhook that is no event of a call was dropped");
      const call = calls.get(event.state ?? "") ?? offered.get(event.callControlId);
      if (call) return call.take(event);
      const { what } = event;
      if (what.type === "initiated" && what.isIncoming) void offer(event, what.from, what.to);
      else logger.debug({ event: what.type }, "an event of a call that isn't known was dropped");
    },
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...calls.values()].map(({ call }) => call.hangup()));
    await within(GRACE_MS, Promise.allSettled(leaving));
    await api.close();
  }
}

function shuttingDown(): CarrierRefusal {
  return new CarrierRefusal("no_voice_carrier_available", "The carrier is shutting down.");
}

/** Callers that keep their number back are `anonymous` and the like; others may be SIP addresses. */
function callerOf(from: string): string | null {
  const user = /^sips?:([^@;]+)@/i.exec(from)?.[1] ?? from;
  const digits = user.replace(/[-.() ]/g, "");
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
