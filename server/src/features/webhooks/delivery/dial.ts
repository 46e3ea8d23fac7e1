import { isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { VettedTarget } from "../target/index.ts";

/** Opens a TCP connection to an IP address: `net.connect` in the service; tests watch it, or lead it elsewhere. */
export type OpenSocket = (address: string, port: number) => Socket;

export interface Dialed {
  /** Connected, and past its TLS handshake on https. */
  readonly socket: Socket;
  /** The vetted address that answered. */
  readonly address: string;
}

/** How long one address may take to answer while another is left to try; the last one has the rest of the delivery's limit. */
const ADDRESS_LIMIT_MS = 3_000;
const MAX_ADDRESSES = 3;

/**
 * Connects to the first vetted address that answers: at most three, the families in turn, IPv4 first. Nothing is
 * looked up: what is dialled are IP literals. TLS is verified against the URL's host, and so is SNI; a TLS failure is
 * final, as another address would be the same receiver's.
 *
 * Calls back once, unless cancelled by the function it returns, which also drops what is under way.
 */
export function dial(
  target: VettedTarget,
  secureContext: SecureContext,
  openSocket: OpenSocket,
  callback: (error: Error | null, dialed: Dialed | null) => void,
): () => void {
  const addresses = dialOrder(target);
  let current: Socket | null = null;
  let firstError: Error | null = null;
  let limit: NodeJS.Timeout | undefined;
  let settled = false;

  const settle = (error: Error | null, dialed: Dialed | null) => {
    if (settled) return;
    settled = true;
    clearTimeout(limit);
    if (error) current?.destroy();
    callback(error, dialed);
  };

  const attempt = (index: number) => {
    const address = addresses[index]!;
    const socket = openSocket(address, target.port);
    current = socket;
    let over = false;
    const onFailure = (error: Error) => {
      if (over) return;
      over = true;
      clearTimeout(limit);
      socket.destroy();
      firstError ??= error;
      if (settled) return;
      if (index + 1 < addresses.length) attempt(index + 1);
      else settle(firstError, null);
    };
    if (index + 1 < addresses.length) {
      limit = setTimeout(
        () => onFailure(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
        ADDRESS_LIMIT_MS,
      );
    }
    socket.setNoDelay(true);
    socket.on("error", onFailure);
    socket.once("connect", () => {
      if (over || settled) return;
      over = true;
      clearTimeout(limit);
      if (!target.secure) {
        socket.off("error", onFailure);
        return settle(null, { socket, address });
      }
      current = secure(socket, target, secureContext, (error, tls) =>
        settle(error, tls && { socket: tls, address }),
      );
    });
  };

  attempt(0);
  return () => {
    settled = true;
    clearTimeout(limit);
    current?.destroy();
  };
}

function secure(
  tcp: Socket,
  target: VettedTarget,
  secureContext: SecureContext,
  callback: (error: Error | null, socket: Socket | null) => void,
): Socket {
  // SNI is for names only (RFC 6066); a certificate for an address is checked against `host`.
  const name = isIP(target.hostname) === 0 ? { servername: target.hostname } : {};
  const socket = connectTls({
    socket: tcp,
    host: target.hostname,
    ...name,
    secureContext,
    ALPNProtocols: ["http/1.1"],
  });
  const onError = (error: Error) => callback(error, null);
  socket.once("error", onError);
  socket.once("secureConnect", () => {
    socket.off("error", onError);
    callback(null, socket);
  });
  return socket;
}

function dialOrder(target: VettedTarget): string[] {
  const v4 = target.addresses.filter(({ family }) => family === 4).map(({ address }) => address);
  const v6 = target.addresses.filter(({ family }) => family === 6).map(({ address }) => address);
  const order: string[] = [];
  for (let i = 0; order.length < MAX_ADDRESSES && (i < v4.length || i < v6.length); i++) {
    if (i < v4.length) order.push(v4[i]!);
    if (i < v6.length) order.push(v6[i]!);
  }
  return order.slice(0, MAX_ADDRESSES);
}
