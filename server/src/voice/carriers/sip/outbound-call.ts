import type { Clock } from "../../../clock.ts";
import { createCallEvents } from "../call-events.ts";
import { type CarrierCall, CarrierRefusal, type DialRequest } from "../carrier.ts";
import { hostText } from "./address.ts";
import { causeOf, isTrunksFault } from "./answer-codes.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { createEstablishedCall, type EstablishedCall } from "./established-call.ts";
import type { SipFlow } from "./flow.ts";
import { type InviteAttempt, startInvite } from "./invite-attempt.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import type { Router } from "./router.ts";
import type { SipMedia } from "./sip-media.ts";
import type { Trunk } from "./trunk.ts";
import type { Line, NoLine, TrunkLines } from "./trunk-lines.ts";

export interface OutboundCallDeps {
  endpoint: SipEndpoint;
  clock: Clock;
  router: Router;
  resolve: ResolveTarget;
  lines: TrunkLines;
  /** @throws NoRtpPortFree */
  openMedia(flow: SipFlow, isProtected: boolean): Promise<SipMedia>;
  /** What a trunk answered, for the log. */
  onTrunkFailed(trunk: Trunk, status: number | null): void;
  /** The call has begun, and must be ended with the carrier. @returns to be called when it has ended */
  onPlaced(call: Pick<OutboundCall, "hangup" | "settled">): () => void;
}

/** A trunk that has said nothing for so long is passed over, while another is left. */
const SILENCE_MS = 8_000;
/** One that has said "100 Trying" and no more: no ringing, no answer. */
const TRYING_MS = 60_000;

const NOT_ACCEPTABLE = 488;

type Result = { kind: "over" } | { kind: "refused"; status: number | null };

export interface OutboundCall extends CarrierCall {
  /** Resolves when nothing of it is under way any more. */
  settled(): Promise<void>;
}

/**
 * Places a call at the first trunk that takes it, in their order. Resolves when an INVITE is on its way; goes on to the next
 * trunk when one fails before it is answered.
 * @param trunks at least one
 * @throws CarrierRefusal when none could be asked at all
 */
export function placeOutboundCall(
  deps: OutboundCallDeps,
  trunks: readonly Trunk[],
  request: DialRequest,
): Promise<OutboundCall> {
  const { endpoint, router, clock, lines } = deps;
  const events = createCallEvents();
  const background: Promise<unknown>[] = [];
  let attempt: InviteAttempt | null = null;
  let established: EstablishedCall | null = null;
  let hasRung = false;
  let stopRinging: () => void = () => undefined;
  let giveUp: () => void = () => undefined;
  let releaseLine: () => void = () => undefined;
  /** Why the last INVITE couldn't be sent. */
  let unsendable = "it doesn't answer";

  function end(cause: ReturnType<typeof causeOf>): void {
    if (events.isOver()) return;
    stopRinging();
    if (established) background.push(established.hangup());
    attempt?.cancel();
    giveUp();
    releaseLine();
    released();
    events.tell({ type: "ended", cause });
  }

  /** Asks one trunk. Resolves when it has refused, or when the call needs no other any more. */
  function ask(trunk: Trunk, flow: SipFlow, media: SipMedia, line: Line, isLast: boolean, onWay: () => void) {
    return new Promise<Result>((resolve) => {
      let stopSilence: () => void = () => undefined;
      const settle = (result: Result) => {
        stopSilence();
        if (result.kind === "refused" || !established) {
          media.close();
          line.release();
        }
        resolve(result);
      };
      giveUp = () => settle({ kind: "over" });
      const passOver = () => {
        made.cancel();
        settle({ kind: "refused", status: null });
      };
      const made = startInvite(inviteFor(deps, trunk, flow, media, request), {
        onProvisional(status) {
          if (status === 100) {
            stopSilence();
            if (!hasRung) stopSilence = clock.schedule(clock.now() + TRYING_MS, passOver);
            return;
          }
          stopSilence();
          rang();
        },
        onAnswered(dialog, sdp) {
          stopSilence();
          stopRinging();
          established = createEstablishedCall({
            endpoint,
            router,
            dialog,
            credentials: trunk.credentials,
            media,
            onEnded(cause) {
              line.release();
              released();
              events.tell({ type: "ended", cause });
            },
          });
          releaseLine = line.release;
          if (media.accept(sdp)) events.tell({ type: "answered", media: media.leg });
          else end("failed");
          settle({ kind: "over" });
        },
        onFailed(status, retryAfterMs) {
          if (retryAfterMs !== null) lines.rest(trunk.id, retryAfterMs);
          settle({ kind: "refused", status });
        },
      });
      attempt = made;
      background.push(made.settled);
      if (!isLast) stopSilence = clock.schedule(clock.now() + SILENCE_MS, passOver);
      // A failure is told by onFailed.
      made.sent.then(onWay, (error: Error) => {
        unsendable = error.message;
      });
    });
  }

  function rang(): void {
    if (hasRung || events.isOver()) return;
    hasRung = true;
    stopRinging = clock.schedule(clock.now() + request.ringTimeoutMs, () => end("no_answer"));
    events.tell({ type: "ringing" });
  }

  async function run(onWay: () => void): Promise<CarrierRefusal | null> {
    let refusal: CarrierRefusal | null = null;
    let last: { status: number | null } | null = null;
    const asks = trunks.map((trunk) => ({ trunk, isProtected: false }));
    for (let index = 0; index < asks.length; index++) {
      const { trunk, isProtected } = asks[index]!;
      if (events.isOver()) return null;
      const line = await lines.take(trunk);
      if (typeof line === "string") {
        refusal ??= refusalFor(trunk, line);
        continue;
      }
      await line.turn;
      const ready = events.isOver() ? null : await prepare(deps, trunk, isProtected);
      if (events.isOver() || !ready || ready instanceof CarrierRefusal) {
        line.release();
        if (ready && !(ready instanceof CarrierRefusal)) ready.media.close();
        if (ready instanceof CarrierRefusal) refusal = ready;
        continue;
      }
      const result = await ask(trunk, ready.flow, ready.media, line, index === asks.length - 1, onWay);
      if (result.kind === "over") return null;
      deps.onTrunkFailed(trunk, result.status);
      last = result;
      if (result.status === NOT_ACCEPTABLE && trunk.protocol === "tls" && !isProtected) {
        // It may want its audio protected. Only where the keys aren't told to everybody on the way.
        asks.splice(index + 1, 0, { trunk, isProtected: true });
        continue;
      }
      if (!isTrunksFault(result.status)) break;
    }
    if (last) {
      end(causeOf(last.status));
      return new CarrierRefusal("carrier_dial_failed", `No trunk could be reached: ${unsendable}.`);
    }
    return refusal;
  }

  const placed: OutboundCall = {
    sid: `sip_${request.callId}`,
    onEvent: events.onEvent,
    async hangup() {
      end(established ? "local_hangup" : "canceled");
    },
    settled: async () => void (await Promise.allSettled(background)),
  };
  const released = deps.onPlaced(placed);
  return new Promise<OutboundCall>((resolve, reject) => {
    // What comes after the first INVITE is told by the call's events.
    let isOnWay = false;
    const onWay = () => {
      isOnWay = true;
      resolve(placed);
    };
    run(onWay).then(
      (refusal) => {
        if (isOnWay) return;
        released();
        reject(refusal ?? new CarrierRefusal("carrier_dial_failed", "The call was given up."));
      },
      (error: unknown) => {
        end("failed");
        reject(error as Error);
      },
    );
  });
}

function refusalFor(trunk: Trunk, why: NoLine): CarrierRefusal {
  switch (why) {
    case "full":
      return new CarrierRefusal(
        "concurrency_limit",
        `Every channel of the trunk ${trunk.name} is in use.`,
        "congestion",
      );
    case "late":
      return new CarrierRefusal(
        "concurrency_limit",
        `So many calls wait for the trunk ${trunk.name} that another one's turn would come too late.`,
        "congestion",
      );
    case "unknown":
      return new CarrierRefusal(
        "no_voice_carrier_available",
        `What of the trunk ${trunk.name} is in use can't be told right now: its limits are kept by not calling over it.`,
      );
  }
}

function inviteFor(
  { endpoint, resolve }: OutboundCallDeps,
  trunk: Trunk,
  flow: SipFlow,
  media: SipMedia,
  { from, to }: DialRequest,
) {
  const port = trunk.port === null ? "" : `:${trunk.port}`;
  const host = `${hostText(trunk.host)}${port}`;
  const transport = trunk.protocol === "udp" ? "" : `;transport=${trunk.protocol}`;
  return {
    endpoint,
    resolve,
    flow,
    uri: `sip:${to}@${host}${transport}`,
    from: `<sip:${from}@${hostText(flow.local.address)}>`,
    to: `<sip:${to}@${host}>`,
    callId: `${endpoint.newToken()}@${hostText(flow.local.address)}`,
    offer: media.offer(),
    credentials: trunk.credentials,
  };
}

/** The way to the trunk, and the audio's own port. */
async function prepare(
  { endpoint, resolve, openMedia }: OutboundCallDeps,
  trunk: Trunk,
  isProtected: boolean,
): Promise<{ flow: SipFlow; media: SipMedia } | CarrierRefusal> {
  let flow: SipFlow | null = null;
  let why: unknown;
  try {
    for (const target of await resolve(trunk.host, trunk.port, trunk.protocol)) {
      flow = await endpoint.flowTo(target).catch((error: unknown) => {
        why = error;
        return null;
      });
      if (flow) break;
    }
  } catch (error) {
    why = error;
  }
  if (!flow) {
    const words = why instanceof Error ? why.message : "it has no address";
    return new CarrierRefusal("carrier_dial_failed", `The trunk ${trunk.name} can't be reached: ${words}.`);
  }
  try {
    return { flow, media: await openMedia(flow, isProtected) };
  } catch (error) {
    return new CarrierRefusal(
      "concurrency_limit",
      `No line is free: ${error instanceof Error ? error.message : String(error)}`,
      "congestion",
    );
  }
}
