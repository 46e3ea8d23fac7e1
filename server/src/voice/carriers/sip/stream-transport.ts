import { once } from "node:events";
import { createServer, isIP, type Server, type Socket, connect as tcpConnect } from "node:net";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import type { SipFlow, Target } from "./flow.ts";
import { type SipMessage, serialize } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { createStreamFraming } from "./stream-framing.ts";

export interface StreamTransport {
  /** The connection to there that is open, or a new one. @throws when there is none to be had */
  flowTo(target: Target): Promise<SipFlow>;
  close(): Promise<void>;
}

export interface StreamOptions {
  /** Null: nobody connects to us, we only connect to others. */
  listen: { address: string; port: number } | null;
  /** Milliseconds. */
  connectWithinMs: number;
  localAddress(remote: string): string;
  /** The port that Via and Contact name. */
  localPort: number;
  /** Whom to believe, for TLS: the system's when left out. */
  tls?: Pick<ConnectionOptions, "ca">;
  onMessage(message: SipMessage, flow: SipFlow): void;
}

const MAX_CONNECTIONS = 500;
/** A connection over which nothing comes for so long is closed; keep-alives come more often. */
const IDLE_MS = 10 * 60_000;
/** What a far side that reads nothing may leave unsent. */
const MAX_UNSENT = 1024 * 1024;

/** TCP and TLS: one connection for each far side, whoever opened it. */
export async function openStreamTransport(options: StreamOptions): Promise<StreamTransport> {
  const sockets = new Set<Socket>();
  const flows = new Map<string, Promise<SipFlow>>();
  let server: Server | null = null;

  function attach(socket: Socket, protocol: "tcp" | "tls"): SipFlow {
    const remote = { address: plain(socket.remoteAddress ?? ""), port: socket.remotePort ?? 0 };
    const framing = createStreamFraming();
    const flow: SipFlow = {
      protocol,
      remote,
      local: { address: options.localAddress(remote.address), port: options.localPort },
      isOpen: () => !socket.destroyed && socket.writable,
      send: (message) =>
        new Promise((resolve, reject) => {
          if (socket.writableLength > MAX_UNSENT) socket.destroy();
          if (socket.destroyed || !socket.writable) return reject(new Error("The connection is closed."));
          socket.write(serialize(message), (error) => (error ? reject(error) : resolve()));
        }),
    };
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      try {
        const { messages, pings } = framing.push(bytes);
        if (pings > 0) socket.write("\r\n");
        for (const each of messages) {
          const message = parseMessage(each);
          if (message) options.onMessage(message, flow);
        }
      } catch {
        // Where the next message begins can't be told any more.
        socket.destroy();
      }
    });
    keep(socket);
    return flow;
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  }

  async function connect(target: Target): Promise<SipFlow> {
    const { address: host, port, serverName } = target;
    const socket =
      target.protocol === "tls"
        ? tlsConnect({
            host,
            port,
            ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
            ...options.tls,
          })
        : tcpConnect({ host, port });
    keep(socket);
    const timer = setTimeout(
      () => socket.destroy(new Error("The connection took too long.")),
      options.connectWithinMs,
    );
    try {
      await once(socket, target.protocol === "tls" ? "secureConnect" : "connect");
      return attach(socket, target.protocol === "tls" ? "tls" : "tcp");
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  if (options.listen) {
    server = createServer((socket) => void attach(socket, "tcp"));
    server.maxConnections = MAX_CONNECTIONS;
    const listening = once(server, "listening");
    server.listen({ host: options.listen.address, port: options.listen.port });
    await listening;
  }

  return {
    async flowTo(target) {
      const key = `${target.protocol} ${target.address} ${target.port} ${target.serverName}`;
      const known = await flows.get(key)?.catch(() => null);
      if (known?.isOpen()) return known;
      const opening = connect(target);
      flows.set(key, opening);
      opening.catch(() => flows.delete(key));
      return opening;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server) return;
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** An IPv4 address as a socket for both families tells it. */
function plain(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
