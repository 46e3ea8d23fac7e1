import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { TestCertificate } from "./certificates.ts";
import { playBehaviour, type SinkBehaviour } from "./webhook-sink-behaviours.ts";

export type { SinkBehaviour } from "./webhook-sink-behaviours.ts";

/** One request as it arrived, complete with its body. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** `performance.now()` when the body was complete. */
  readonly arrivedAt: number;
  /** Which of the sink's connections it came on, counted from 1. */
  readonly connection: number;
}

export interface WebhookSink {
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were ever opened to the sink, and how many are open. */
  readonly connections: { opened: number; open: number };
  /** The names that TLS clients asked for (SNI), one a connection; false where they asked for none. */
  readonly serverNames: readonly (string | false)[];
  /** How many body bytes the sink has written for behaviours without an end. */
  readonly written: { bytes: number };
  /** The sink's address with a path, at 127.0.0.1 unless told otherwise. */
  url(path?: string, host?: string): string;
  /** What a path does: the behaviours one after the other, the last for good. Paths start out with a 200. */
  script(path: string, ...behaviours: SinkBehaviour[]): void;
  /**
   * Resolves with the requests as soon as the predicate holds (looked at now and at every arrival), rejects after
   * `timeoutMs` with what had come until then.
   */
  waitFor(
    predicate: (requests: readonly ReceivedRequest[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly ReceivedRequest[]>;
  /** Drops every connection, whatever it is doing, and stops listening. */
  close(): Promise<void>;
}

export interface WebhookSinkOptions {
  /** Serve HTTPS with this certificate. */
  readonly tls?: TestCertificate;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default any free port. */
  readonly port?: number;
}

/** A real HTTP(S) receiver of webhooks that records what comes and misbehaves as told. */
export async function startWebhookSink(options: WebhookSinkOptions = {}): Promise<WebhookSink> {
  const requests: ReceivedRequest[] = [];
  const scripts = new Map<string, SinkBehaviour[]>();
  const watchers = new Set<() => void>();
  const connectionIds = new WeakMap<Socket, number>();
  const connections = { opened: 0, open: 0 };
  const serverNames: (string | false)[] = [];
  const written = { bytes: 0 };
  const sockets = new Set<Socket>();

  const nextBehaviour = (path: string): SinkBehaviour => {
    const script = scripts.get(path);
    if (!script) return { kind: "respond" };
    return script.length > 1 ? script.shift()! : script[0]!;
  };

  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // The sender went away in the middle of its body: nothing has arrived.
    }
    const path = request.url ?? "";
    requests.push({
      method: request.method ?? "",
      path,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      arrivedAt: performance.now(),
      connection: connectionIds.get(request.socket) ?? 0,
    });
    playBehaviour(nextBehaviour(path), response, written);
    for (const look of watchers) look();
  };

  const server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
  server.on(options.tls ? "secureConnection" : "connection", (socket: Socket) => {
    connections.opened += 1;
    connectionIds.set(socket, connections.opened);
    if (socket instanceof TLSSocket) serverNames.push(serverNameOf(socket));
  });
  server.on("connection", (socket: Socket) => {
    connections.open += 1;
    sockets.add(socket);
    socket.on("error", () => {}); // A sender that resets is part of the game.
    socket.on("close", () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(options.port ?? 0, options.host ?? "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    port,
    requests,
    connections,
    serverNames,
    written,
    url: (path = "/", host = "127.0.0.1") => `${options.tls ? "https" : "http"}://${host}:${port}${path}`,
    script: (path, ...behaviours) => void scripts.set(path, behaviours),
    waitFor: (predicate, timeoutMs = 10_000) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          watchers.delete(look);
        };
        const look = () => {
          if (!predicate(requests)) return;
          stop();
          resolve(requests);
        };
        const timer = setTimeout(() => {
          stop();
          const paths = requests.map(({ path, headers }) => `${path} ${headers["x-service-event"] ?? ""}`);
          reject(new Error(`not within ${timeoutMs} ms; had come: ${paths.join(", ") || "nothing"}`));
        }, timeoutMs);
        watchers.add(look);
        look();
      }),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function serverNameOf(socket: TLSSocket): string | false {
  // Set by Node on the server's side, and missing from its types.
  const { servername } = socket as TLSSocket & { servername?: string | false };
  return servername || false;
}

/** A receiver that accepts connections and never reads nor writes a byte. */
export async function startSilentListener(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
