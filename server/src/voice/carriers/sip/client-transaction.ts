import type { Clock } from "../../../clock.ts";
import type { SipFlow } from "./flow.ts";
import { cseqOf, header, type SipRequest, type SipResponse } from "./message.ts";
import { createTimers, T1, T2, T4, TIMER_D, TRANSACTION_MS } from "./timers.ts";

export interface ClientTransaction {
  /** The request as it was sent, with its Via. */
  readonly request: SipRequest;
  /** Resolves when the request is on its way for the first time; rejects when it can't be sent. */
  readonly sent: Promise<void>;
  received(response: SipResponse): void;
  /** Stops it, silently. */
  stop(): void;
}

export interface ClientListener {
  /** Provisional and final answers. An INVITE may have several 200s; everything else tells one final answer. */
  onResponse(response: SipResponse): void;
  /** No final answer came in time, or nothing can be sent any more. */
  onFailed(why: "timeout" | "transport"): void;
}

/**
 * Sends a request until it is answered (RFC 3261, 17.1, with the 2xx of RFC 6026): timers A, B and D for INVITE, E, F and K for
 * the rest.
 */
export function startClientTransaction(
  deps: { clock: Clock; onDone(): void },
  flow: SipFlow,
  request: SipRequest,
  listener: ClientListener,
): ClientTransaction {
  const timers = createTimers(deps.clock);
  const isInvite = request.method === "INVITE";
  const isDatagram = flow.protocol === "udp";
  let state: "trying" | "proceeding" | "accepted" | "completed" | "over" = "trying";
  let stopRepeating: () => void = () => undefined;

  const end = () => {
    if (state === "over") return;
    state = "over";
    timers.stop();
    deps.onDone();
  };
  const fail = (why: "timeout" | "transport") => {
    const wasFinal = state === "completed" || state === "accepted" || state === "over";
    end();
    if (!wasFinal) listener.onFailed(why);
  };
  const transmit = () => flow.send(request);
  const retransmit = () => void transmit().catch(() => fail("transport"));

  const sent = transmit();
  // It is told twice: to who waits for the first sending, and to the listener.
  sent.catch(() => fail("transport"));
  if (isDatagram) stopRepeating = timers.repeat(T1, isInvite ? TRANSACTION_MS : T2, retransmit);
  const stopWaiting = timers.after(TRANSACTION_MS, () => fail("timeout"));

  function finalOfInvite(response: SipResponse): void {
    if (response.status < 300) {
      if (state === "completed") return;
      const isFirst = state !== "accepted";
      state = "accepted";
      try {
        // Whoever has answered waits for its ACK: the timers can wait.
        listener.onResponse(response);
      } finally {
        stopRepeating();
        stopWaiting();
        if (isFirst) timers.after(TRANSACTION_MS, end);
      }
      return;
    }
    stopRepeating();
    stopWaiting();
    if (state === "accepted") return;
    const isFirst = state !== "completed";
    void flow.send(ackFor(request, response)).catch(() => undefined);
    if (!isFirst) return;
    state = "completed";
    if (isDatagram) timers.after(TIMER_D, end);
    else end();
    listener.onResponse(response);
  }

  return {
    request,
    sent,
    stop: end,
    received(response) {
      if (state === "over") return;
      if (response.status < 200) {
        if (state !== "trying" && state !== "proceeding") return;
        if (state === "trying") {
          state = "proceeding";
          stopRepeating();
          // Whoever rings may ring for long: the caller decides for how long.
          if (isInvite) stopWaiting();
          else if (isDatagram) stopRepeating = timers.repeat(T2, T2, retransmit);
        }
        listener.onResponse(response);
        return;
      }
      if (isInvite) return finalOfInvite(response);
      if (state === "completed") return;
      state = "completed";
      stopRepeating();
      stopWaiting();
      if (isDatagram) timers.after(T4, end);
      else end();
      listener.onResponse(response);
    },
  };
}

/** Of an answer that isn't 2xx: part of the INVITE's own transaction (RFC 3261, 17.1.1.3). */
function ackFor(invite: SipRequest, response: SipResponse): SipRequest {
  return {
    kind: "request",
    method: "ACK",
    uri: invite.uri,
    headers: [
      { name: "via", value: header(invite, "via")! },
      { name: "from", value: header(invite, "from")! },
      { name: "to", value: header(response, "to")! },
      { name: "call-id", value: header(invite, "call-id")! },
      { name: "cseq", value: `${cseqOf(invite)!.number} ACK` },
      { name: "max-forwards", value: "70" },
      ...invite.headers.filter(({ name }) => name === "route"),
    ],
    body: Buffer.alloc(0),
  };
}
