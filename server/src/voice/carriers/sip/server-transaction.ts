import type { Clock } from "../../../clock.ts";
import type { SipFlow } from "./flow.ts";
import type { SipRequest, SipResponse } from "./message.ts";
import { createTimers, T1, T2, T4, TRANSACTION_MS } from "./timers.ts";

export interface ServerTransaction {
  readonly request: SipRequest;
  readonly flow: SipFlow;
  /** A final answer is given once; what comes after it is left out. */
  respond(response: SipResponse): void;
  /** The request came again. */
  repeated(): void;
  /** The ACK of an INVITE that was refused. */
  acknowledged(): void;
  isAnswered(): boolean;
  stop(): void;
}

/**
 * Answers a request for as long as it may come again (RFC 3261, 17.2, with the Accepted state of RFC 6026): timers G, H and I
 * for INVITE, J for the rest. The 2xx of an INVITE is repeated by who sends it, until its ACK comes.
 */
export function startServerTransaction(
  deps: { clock: Clock; onDone(): void },
  flow: SipFlow,
  request: SipRequest,
): ServerTransaction {
  const timers = createTimers(deps.clock);
  const isInvite = request.method === "INVITE";
  const isDatagram = flow.protocol === "udp";
  let last: SipResponse | null = null;
  let state: "proceeding" | "accepted" | "completed" | "confirmed" | "over" = "proceeding";
  let stopRepeating: () => void = () => undefined;

  const end = () => {
    if (state === "over") return;
    state = "over";
    timers.stop();
    deps.onDone();
  };
  // Who can't be reached finds out by its own timers.
  const transmit = () => void (last && flow.send(last).catch(() => undefined));

  return {
    request,
    flow,
    stop: end,
    isAnswered: () => state !== "proceeding",
    respond(response) {
      if (state === "accepted" && response.status < 300 && response.status >= 200) {
        last = response;
        return transmit();
      }
      if (state !== "proceeding") return;
      last = response;
      transmit();
      if (response.status < 200) return;
      if (isInvite && response.status < 300) {
        state = "accepted";
        timers.after(TRANSACTION_MS, end);
        return;
      }
      state = "completed";
      if (!isInvite) {
        if (isDatagram) timers.after(TRANSACTION_MS, end);
        else end();
        return;
      }
      if (isDatagram) stopRepeating = timers.repeat(T1, T2, transmit);
      timers.after(TRANSACTION_MS, end);
    },
    repeated() {
      if (state === "proceeding" || state === "completed") transmit();
    },
    acknowledged() {
      if (state !== "completed" || !isInvite) return;
      state = "confirmed";
      stopRepeating();
      if (isDatagram) timers.after(T4, end);
      else end();
    },
  };
}
