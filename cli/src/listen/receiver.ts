import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type SignatureVerdict,
  verifySignature,
} from "../../../server/src/features/webhooks/delivery/signature.ts";
import { Refusal } from "../failure.ts";

/** Events carry ids, not records: far more than any of them. */
const LARGEST_BODY = 5 * 1024 * 1024;

/** A delivery as it came in. */
export interface ReceivedDelivery {
  receivedAt: Date;
  /** As the headers name them; null when they don't. */
  type: string | null;
  id: string | null;
  attempt: number | null;
  /** Null: there was no secret to check it with. */
  signature: SignatureVerdict | null;
  rawBody: Buffer;
}

export interface Receiver {
  port: number;
  close(): Promise<void>;
}

/**
 * Takes deliveries on loopback, on IPv4 and IPv6, since `localhost` may be either.
 * @param options.port 0 for any
 * @param options.secrets asked at each delivery
 * @throws Refusal port_in_use
 */
export async function startReceiver(options: {
  port: number;
  status: number;
  secrets: () => readonly string[];
  onDelivery: (delivery: ReceivedDelivery) => void;
}): Promise<Receiver> {
  const serve = () =>
    createServer(async (request, response) => {
      if (request.method !== "POST") {
        request.resume();
        response.writeHead(405, { allow: "POST" }).end("outreach listen takes webhook deliveries by POST.\n");
        return;
      }
      const rawBody = await readBody(request).catch(() => null);
      if (rawBody === null) return void response.destroy();
      options.onDelivery(readDelivery(request, rawBody, options.secrets()));
      response.writeHead(options.status, { "content-type": "text/plain" }).end("received\n");
    });

  const first = serve();
  await listen(first, options.port, "127.0.0.1");
  const { port } = first.address() as AddressInfo;
  const second = serve();
  const both = await listen(second, port, "::1").then(
    () => [first, second],
    () => [first],
  );
  return {
    port,
    async close() {
      await Promise.all(
        both.map((server) => {
          const closed = new Promise((resolve) => server.close(resolve));
          server.closeAllConnections();
          return closed;
        }),
      );
    },
  };
}

function readDelivery(
  request: IncomingMessage,
  rawBody: Buffer,
  secrets: readonly string[],
): ReceivedDelivery {
  const header = (name: string): string | null => {
    const value = request.headers[name];
    return typeof value === "string" ? value : null;
  };
  const receivedAt = new Date();
  const attempt = header("x-service-delivery-attempt");
  return {
    receivedAt,
    type: header("x-service-event"),
    id: header("x-service-event-id"),
    attempt: attempt !== null && /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    signature:
      secrets.length === 0
        ? null
        : verifySignature(
            secrets,
            header("x-service-signature-256") ?? undefined,
            rawBody,
            Math.floor(receivedAt.getTime() / 1000),
          ),
    rawBody,
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LARGEST_BODY) throw new Error("too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Refusal({
          error: error.code === "EADDRINUSE" ? "port_in_use" : "cannot_listen",
          message: `Can't listen on port ${port} (${error.code ?? error.message}): name another one with --port.`,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}
