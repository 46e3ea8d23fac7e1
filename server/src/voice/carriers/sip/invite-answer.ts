import type { SipEndpoint } from "./endpoint.ts";
import type { SipRequest, SipResponse } from "./message.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import { createTimers, T1, T2, TRANSACTION_MS } from "./timers.ts";

export interface InviteAnswer {
  /** The ACK has come. */
  acknowledged(ack: SipRequest): void;
  stop(): void;
}

/** Gives an INVITE its 2xx, again and again until it is acknowledged (RFC 3261, 13.3.1.4). */
export function answerInvite(
  endpoint: Pick<SipEndpoint, "clock">,
  transaction: ServerTransaction,
  response: SipResponse,
  listener: { onAcknowledged(ack: SipRequest): void; onUnacknowledged(): void },
): InviteAnswer {
  const timers = createTimers(endpoint.clock);
  transaction.respond(response);
  timers.repeat(T1, T2, () => transaction.respond(response));
  timers.after(TRANSACTION_MS, () => {
    timers.stop();
    listener.onUnacknowledged();
  });
  let isOver = false;
  return {
    acknowledged(ack) {
      if (isOver) return;
      isOver = true;
      timers.stop();
      listener.onAcknowledged(ack);
    },
    stop() {
      isOver = true;
      timers.stop();
    },
  };
}
