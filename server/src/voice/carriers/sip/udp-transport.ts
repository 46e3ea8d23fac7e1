import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { SipFlow } from "./flow.ts";
import { header, type SipMessage, serialize } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { parseVia } from "./via.ts";

export interface UdpTransport {
  readonly port: number;
  flowTo(remote: { address: string; port: number }): SipFlow;
  close(): Promise<void>;
}

const DEFAULT_PORT = 5060;

/**
 * @param bind port 0: any that is free
 * @param localAddress what Via and Contact name, by the address that is sent to
 * @throws what the system says of the address
 */
export async function openUdpTransport(options: {
  bind: { address: string; port: number };
  localAddress(remote: string): string;
  onMessage(message: SipMessage, flow: SipFlow): void;
}): Promise<UdpTransport> {
  const socket = await bound(options.bind);
  const { port } = socket.address();

  const flowTo = (remote: { address: string; port: number }): SipFlow => ({
    protocol: "udp",
    remote,
    local: { address: options.localAddress(remote.address), port },
    isOpen: () => true,
    send: (message) =>
      new Promise((resolve, reject) => {
        try {
          socket.send(serialize(message), remote.port, remote.address, (error) =>
            error ? reject(error) : resolve(),
          );
        } catch (error) {
          reject(error as Error);
        }
      }),
  });

  socket.on("message", (bytes: Buffer, from: RemoteInfo) => {
    const message = parseMessage(bytes);
    if (message)
      options.onMessage(message, flowTo({ address: from.address, port: answerPort(message, from) }));
  });
  // One of a datagram that couldn't be delivered: its transaction finds out by its timers.
  socket.on("error", () => undefined);
  return {
    port,
    flowTo,
    async close() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

/** Answers go back to where the request came from (RFC 3581), or to the port that its Via names. */
function answerPort(message: SipMessage, from: RemoteInfo): number {
  const via = message.kind === "request" ? parseVia(header(message, "via")) : null;
  if (!via || via.params.has("rport")) return from.port;
  return via.port ?? DEFAULT_PORT;
}

async function bound({ address, port }: { address: string; port: number }): Promise<Socket> {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: family === 6 ? "udp6" : "udp4",
    // Only IP addresses are sent to.
    lookup: (hostname, _options, done) => done(null, hostname, family),
  });
  try {
    const listening = once(socket, "listening");
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
