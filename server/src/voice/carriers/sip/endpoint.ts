import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../../clock.ts";
import type { ClientListener, ClientTransaction } from "./client-transaction.ts";
import type { SipFlow, Target } from "./flow.ts";
import type { SipRequest } from "./message.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import { openStreamTransport, type StreamTransport } from "./stream-transport.ts";
import { createTransactions } from "./transactions.ts";
import { openUdpTransport, type UdpTransport } from "./udp-transport.ts";

/** Our end of SIP: sockets, and the transactions over them. */
export interface SipEndpoint {
  readonly port: number;
  readonly clock: Clock;
  newToken(): string;
  flowTo(target: Target): Promise<SipFlow>;
  request(flow: SipFlow, request: SipRequest, listener: ClientListener, branch?: string): ClientTransaction;
  inviteOf(cancel: SipRequest): ServerTransaction | undefined;
  close(): Promise<void>;
}

export interface EndpointOptions {
  clock: Clock;
  newToken(): string;
  /** Port 0: any that is free. */
  bind: { address: string; port: number };
  /** What Via and Contact name; null: the address that is bound, or, for all of them, the one that the far side is reached from. */
  advertisedAddress: string | null;
  /** False: nobody connects to us over TCP. */
  listens: boolean;
  tls?: Pick<ConnectionOptions, "ca">;
  onRequest(request: SipRequest, transaction: ServerTransaction | null, flow: SipFlow): void;
  onError(error: unknown): void;
  /** Whatever comes, also what only comes again. */
  onReceived?(): void;
}

const CONNECT_WITHIN_MS = 8_000;
/** A port that is free over UDP may be somebody's over TCP. */
const FREE_PORT_TRIES = 10;
const WILDCARDS = ["0.0.0.0", "::"];

interface Transports {
  udp: UdpTransport;
  streams: StreamTransport;
}

/** @throws what the system says of the address: EADDRINUSE, EADDRNOTAVAIL */
export async function openEndpoint(options: EndpointOptions): Promise<SipEndpoint> {
  const { clock, bind, newToken } = options;
  const reachedFrom = new Map<string, string>();
  const localAddress = (remote: string) =>
    options.advertisedAddress ??
    (WILDCARDS.includes(bind.address) ? (reachedFrom.get(remote) ?? bind.address) : bind.address);
  const learn = async (remote: string) => {
    if (options.advertisedAddress !== null || !WILDCARDS.includes(bind.address) || reachedFrom.has(remote))
      return;
    reachedFrom.set(remote, await addressTowards(remote));
  };

  const transactions = createTransactions({ clock, newToken, onRequest: guarded });
  function guarded(request: SipRequest, transaction: ServerTransaction | null, flow: SipFlow): void {
    try {
      options.onRequest(request, transaction, flow);
    } catch (error) {
      options.onError(error);
    }
  }
  const onMessage: Parameters<typeof openUdpTransport>[0]["onMessage"] = (message, flow) => {
    try {
      options.onReceived?.();
      transactions.received(message, flow);
    } catch (error) {
      options.onError(error);
    }
  };

  const { udp, streams } = await openTransports();
  async function openTransports(triesLeft = bind.port === 0 ? FREE_PORT_TRIES : 0): Promise<Transports> {
    const udp = await openUdpTransport({ bind, localAddress, onMessage });
    try {
      const streams = await openStreamTransport({
        listen: options.listens ? { address: bind.address, port: udp.port } : null,
        connectWithinMs: CONNECT_WITHIN_MS,
        localAddress,
        localPort: udp.port,
        ...(options.tls ? { tls: options.tls } : {}),
        onMessage,
      });
      return { udp, streams };
    } catch (error) {
      await udp.close();
      if (triesLeft > 0) return openTransports(triesLeft - 1);
      throw error;
    }
  }

  return {
    port: udp.port,
    clock,
    newToken,
    async flowTo(target) {
      await learn(target.address);
      return target.protocol === "udp" ? udp.flowTo(target) : streams.flowTo(target);
    },
    request: transactions.request,
    inviteOf: transactions.inviteOf,
    async close() {
      transactions.stop();
      await Promise.all([udp.close(), streams.close()]);
    },
  };
}

/** The address of ours that packets to there come from: the system knows, and nothing is sent. */
async function addressTowards(remote: string): Promise<string> {
  const socket = createSocket(isIPv6(remote) ? "udp6" : "udp4");
  try {
    const connected = once(socket, "connect");
    socket.connect(9, remote);
    await connected;
    return socket.address().address;
  } finally {
    socket.close();
  }
}
