import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Telnyx from "telnyx";
import { expect } from "vitest";
import type { CarrierCall, CarrierEvent } from "../../voice/carriers/carrier.ts";
import { createMediaSockets } from "../../voice/carriers/media-socket/index.ts";
import { createTelnyxCarrier, type TelnyxCarrier } from "../../voice/carriers/telnyx/index.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import {
  TELNYX_API_KEY,
  TELNYX_CONNECTION_ID,
  type TelnyxServer,
  type TelnyxServerCall,
  telnyxServer,
} from "./telnyx-server.ts";

/** The carrier, the stand-in for Telnyx, and between them an HTTP server with as little of ours as they need. */
export interface TelnyxHarness {
  clock: ManualClock;
  server: TelnyxServer;
  carrier: TelnyxCarrier;
  /** Where the stand-in sends events. */
  webhookUrl: string;
  /** What was logged, by the message. */
  readonly logged: string[];
  /** 20 ms of the clock, and time for what is under way. */
  tick(): Promise<void>;
  until(done: () => boolean, withinMs?: number): Promise<void>;
  /** Half a second of the clock at a time, without anybody's voice. */
  pass(until: () => boolean, withinMs: number): Promise<void>;
  dial(to?: string): Promise<FollowedCall>;
  close(): Promise<void>;
}

export interface FollowedCall {
  call: CarrierCall;
  events: CarrierEvent[];
  types(): string[];
  cause(): string | undefined;
}

export function follow(call: CarrierCall): FollowedCall {
  const events: CarrierEvent[] = [];
  call.onEvent((event) => events.push(event));
  return {
    call,
    events,
    types: () => events.map(({ type }) => type),
    cause: () => events.flatMap((event) => (event.type === "ended" ? [event.cause] : []))[0],
  };
}

/** @param onDial what happens to each call that is placed */
export async function openTelnyx(
  onDial: (call: TelnyxServerCall) => Promise<unknown> = async () => undefined,
  more: Pick<Parameters<typeof telnyxServer>[0], "refuses"> & { withinMs?: number; apiUrl?: string } = {},
): Promise<TelnyxHarness> {
  const clock = manualClock();
  const { withinMs, apiUrl, ...options } = more;
  const server = await telnyxServer({
    ...options,
    // What is still to be said when a test ends fails, as it does when a call ends.
    onDial: async (call) => void (await onDial(call).catch(() => undefined)),
    now: Date.now,
  });
  const vendor = new Telnyx({ apiKey: TELNYX_API_KEY, publicKey: server.publicKey });
  const newToken = () => randomBytes(12).toString("hex");
  const sockets = createMediaSockets({ newToken });
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);

  const receiver = createServer(async (request, response) => {
    const body = await textOf(request);
    // By Telnyx's own library: throws for a signature that isn't right.
    const headers = request.headers as Record<string, string>;
    const isSigned = await vendor.webhooks.unwrap(body, { headers }).then(
      () => true,
      () => false,
    );
    if (isSigned) carrier.takeEvent(body);
    response.writeHead(isSigned ? 200 : 401).end();
  });
  receiver.on("upgrade", (request, socket, head) => {
    if (!sockets.handleUpgrade(request, socket, head))
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const voiceUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const carrier = createTelnyxCarrier({
    apiUrl: apiUrl ?? server.url,
    apiKey: TELNYX_API_KEY,
    connectionId: TELNYX_CONNECTION_ID,
    voiceUrl,
    clock,
    newToken,
    sockets,
    logger: { error: log, warn: log, debug: log },
    ...(withinMs === undefined ? {} : { withinMs }),
  });

  const tick = async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
    server.tick();
    clock.advance(20);
  };
  let lastId = 0;
  return {
    clock,
    server,
    carrier,
    webhookUrl: `${voiceUrl}/v1/callbacks/telnyx/calls`,
    logged,
    tick,
    async until(done, withinMs = 120_000) {
      for (let passed = 0; !done() && passed < withinMs; passed += 20) await tick();
      expect(done()).toBe(true);
    },
    async pass(done, withinMs) {
      for (let passed = 0; !done() && passed < withinMs; passed += 500) {
        await new Promise<void>((resolve) => setTimeout(resolve, 5));
        clock.advance(500);
      }
      expect(done()).toBe(true);
    },
    async dial(to = "+12125550110") {
      const dialed = carrier.dial({
        organizationId: "organization",
        callId: `call-${++lastId}`,
        from: "+12125550199",
        to,
        ringTimeoutMs: 30_000,
      });
      return follow(await dialed);
    },
    async close() {
      await carrier.close();
      sockets.close();
      receiver.closeAllConnections();
      await new Promise<void>((resolve) => receiver.close(() => resolve()));
      await server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
