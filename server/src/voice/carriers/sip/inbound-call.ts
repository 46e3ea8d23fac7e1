import { createCallEvents } from "../call-events.ts";
import { type CarrierCall, CarrierRefusal } from "../carrier.ts";
import type { InboundAnswer } from "../inbound.ts";
import { parseNameAddress, parseUri } from "./address.ts";
import { contactOf, dialogOfInvite } from "./dialog.ts";
import type { Credentials } from "./digest.ts";
import type { SipEndpoint } from "./endpoint.ts";
import { createEstablishedCall, type EstablishedCall } from "./established-call.ts";
import type { SipFlow } from "./flow.ts";
import { answerInvite } from "./invite-answer.ts";
import { ALLOW } from "./invite-attempt.ts";
import { cseqOf, header, headerList, responseTo, type SipRequest } from "./message.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import type { Router } from "./router.ts";
import { unacceptable } from "./sdp.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import type { SipMedia } from "./sip-media.ts";

/** An INVITE to us, until it is taken or refused. */
export interface OfferedCall {
  /** Who calls whom, as digits with or without a plus; null for a caller that keeps its number back. */
  from: string | null;
  to: string;
  call: CarrierCall;
  refuse(answer: Exclude<InboundAnswer, "taken">): void;
  settled(): Promise<void>;
}

const REFUSALS: Readonly<Record<Exclude<InboundAnswer, "taken">, readonly [number, string]>> = {
  no_agent: [404, "Not Found"],
  busy: [486, "Busy Here"],
  // Carriers go on to the next address that they have then.
  full: [503, "Service Unavailable"],
  unavailable: [480, "Temporarily Unavailable"],
};

/**
 * Answers "100 Trying", and gets the audio ready.
 * @throws CarrierRefusal when the caller's offer has been refused already: nothing in common, or no port left
 */
export async function offerInboundCall(
  deps: {
    endpoint: SipEndpoint;
    router: Router;
    resolve: ResolveTarget;
    openMedia(flow: SipFlow): Promise<SipMedia>;
    credentials: Credentials | null;
    onEnded(): void;
  },
  request: SipRequest,
  transaction: ServerTransaction,
): Promise<OfferedCall> {
  const { endpoint, router } = deps;
  const { flow } = transaction;
  const localTag = endpoint.newToken();
  const events = createCallEvents();
  let established: EstablishedCall | null = null;
  let ending: Promise<unknown> = Promise.resolve();
  let isTaken = false;

  const respond = (status: number, reason: string, body?: string) =>
    transaction.respond(
      responseTo(request, status, reason, {
        ...(status === 100 ? {} : { tag: localTag }),
        headers:
          status === 100
            ? []
            : [
                { name: "contact", value: contactOf(flow) },
                { name: "allow", value: ALLOW },
                { name: "accept", value: "application/sdp" },
              ],
        ...(body === undefined ? {} : { body }),
      }),
    );
  respond(100, "Trying");
  const removeRinging = router.addRinging(transaction, () => over("canceled"));

  function over(cause: "canceled" | "remote_hangup" | "failed" | "local_hangup"): void {
    if (events.isOver()) return;
    removeRinging();
    media?.close();
    deps.onEnded();
    events.tell({ type: "ended", cause });
  }
  const refuse = (status: number, reason: string, why: string): never => {
    respond(status, reason);
    over("failed");
    throw new CarrierRefusal("carrier_dial_failed", why);
  };

  let media: SipMedia | undefined;
  const offer = request.body.length > 0 ? request.body.toString() : null;
  const why = unacceptable(request);
  if (why) refuse(...why, "It doesn't speak of its audio in SDP.");
  try {
    media = await deps.openMedia(flow);
  } catch (error) {
    refuse(503, "Service Unavailable", error instanceof Error ? error.message : String(error));
  }
  const opened = media!;
  if (events.isOver()) {
    opened.close();
    throw new CarrierRefusal("carrier_dial_failed", "The caller has given up.");
  }
  const description = offer === null ? opened.offer() : opened.answer(offer);
  if (description === null) refuse(488, "Not Acceptable Here", "It offers no audio in common.");

  /** Somebody listens: now it may be answered. */
  function answer(): void {
    if (isTaken || events.isOver()) return;
    isTaken = true;
    removeRinging();
    const dialog = dialogOfInvite(deps, request, localTag, flow);
    const sequence = cseqOf(request)!.number;
    const response = responseTo(request, 200, "OK", {
      tag: localTag,
      headers: [
        { name: "contact", value: contactOf(flow) },
        { name: "allow", value: ALLOW },
      ],
      body: description!,
    });
    const pending = answerInvite(endpoint, transaction, response, {
      onAcknowledged(ack) {
        const accepts = offer !== null || opened.accept(ack.body.toString());
        if (accepts) return events.tell({ type: "answered", media: opened.leg });
        hangup("failed");
      },
      onUnacknowledged: () => hangup("failed"),
    });
    const kept = createEstablishedCall({
      endpoint,
      router,
      dialog,
      credentials: deps.credentials,
      media: opened,
      onEnded(cause) {
        pending.stop();
        over(cause);
      },
      onAck(ack) {
        if (cseqOf(ack)?.number === sequence) pending.acknowledged(ack);
      },
    });
    established = {
      hangup() {
        pending.stop();
        return kept.hangup();
      },
    };
  }

  function hangup(cause: "local_hangup" | "failed"): void {
    if (events.isOver()) return;
    if (established) ending = established.hangup();
    else respond(...REFUSALS.unavailable);
    over(cause);
  }

  return {
    from: callerOf(request),
    to: calledOf(request),
    call: {
      sid: `sip_${endpoint.newToken()}`,
      isInbound: true,
      onEvent(listener) {
        events.onEvent(listener);
        answer();
      },
      async hangup() {
        hangup("local_hangup");
      },
    },
    refuse(answered) {
      if (events.isOver() || isTaken) return;
      respond(...REFUSALS[answered]);
      over("failed");
    },
    async settled() {
      await ending.catch(() => undefined);
    },
  };
}

/** The number that is called: what the request is for, or, where that is our own name, whom it was first for. */
function calledOf(request: SipRequest): string {
  const user = digitsOf(request.uri);
  return user ?? digitsOf(parseNameAddress(header(request, "to"))?.uri) ?? "";
}

function callerOf(request: SipRequest): string | null {
  const privacy = headerList(request, "privacy").join(";").toLowerCase();
  if (/\b(id|user)\b/.test(privacy)) return null;
  const asserted = headerList(request, "p-asserted-identity").map((value) => parseNameAddress(value)?.uri);
  const from = parseNameAddress(header(request, "from"))?.uri;
  return [...asserted, from].map(digitsOf).find((digits) => digits !== null) ?? null;
}

/** The number of a URI's user; null when it has none. */
function digitsOf(uri: string | undefined): string | null {
  const user = uri === undefined ? null : parseUri(uri)?.user?.replace(/[-.() ]/g, "");
  return user && /^\+?\d{3,15}$/.test(user) ? user : null;
}
