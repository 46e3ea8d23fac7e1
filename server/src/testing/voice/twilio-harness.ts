import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import twilio from "twilio";
import { expect } from "vitest";
import type { CarrierCall, CarrierEvent } from "../../voice/carriers/carrier.ts";
import { createMediaSockets } from "../../voice/carriers/media-socket/index.ts";
import { createTwilioCarrier, type TwilioCarrier } from "../../voice/carriers/twilio/index.ts";
import type { MediaLeg } from "../../voice/media/media-leg.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import {
  TWILIO_ACCOUNT_SID,
  TWILIO_AUTH_TOKEN,
  type TwilioServer,
  type TwilioServerCall,
  twilioServer,
} from "./twilio-server.ts";

/** The carrier, the stand-in for Twilio, and between them an HTTP server with as little of ours as they need. */
export interface TwilioHarness {
  clock: ManualClock;
  server: TwilioServer;
  carrier: TwilioCarrier;
  /** Where the stand-in asks what to do with a call that comes in. */
  inboundUrl: string;
  /** What was logged, by the message. */
  readonly logged: string[];
  /** 20 ms of the clock, once what is under way is done. */
  tick(): Promise<void>;
  /** @param stepMs so much of the clock at a time, where nothing but time has to pass */
  until(done: () => boolean, stepMs?: number): Promise<void>;
  dial(to?: string): Promise<FollowedCall>;
  close(): Promise<void>;
}

export interface FollowedCall {
  call: CarrierCall;
  types(): string[];
  cause(): string | undefined;
  media(): MediaLeg | undefined;
}

const MOST_MS = 200_000;

export function follow(call: CarrierCall): FollowedCall {
  const events: CarrierEvent[] = [];
  call.onEvent((event) => events.push(event));
  return {
    call,
    types: () => events.map(({ type }) => type),
    cause: () => events.flatMap((event) => (event.type === "ended" ? [event.cause] : []))[0],
    media: () => events.flatMap((event) => (event.type === "answered" ? [event.media] : []))[0],
  };
}

/** @param onDial what happens to each call that is placed */
export async function openTwilio(
  onDial: (call: TwilioServerCall) => Promise<unknown> = async () => undefined,
  more: { withinMs?: number; apiUrl?: string; authToken?: string } = {},
): Promise<TwilioHarness> {
  const clock = manualClock();
  const server = await twilioServer({ onDial });
  const sockets = createMediaSockets({ newToken: () => randomBytes(12).toString("hex") });
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  let voiceUrl = "";

  const receiver = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = new URLSearchParams(Buffer.concat(parts).toString());
    const signature = String(request.headers["x-twilio-signature"]);
    // By Twilio's own library.
    const url = voiceUrl + request.url;
    if (!twilio.validateRequest(TWILIO_AUTH_TOKEN, signature, url, Object.fromEntries(form)))
      return response.writeHead(401).end();
    const callId = /^\/v1\/callbacks\/twilio\/calls\/([^/]+)$/.exec(request.url ?? "")?.[1];
    if (callId !== undefined) carrier.takeStatus(decodeURIComponent(callId), form);
    response.writeHead(200, { "content-type": "text/xml" });
    return response.end(callId === undefined ? await carrier.takeInbound(form) : "<Response/>");
  });
  receiver.on("upgrade", (request, socket, head) => {
    if (!sockets.handleUpgrade(request, socket, head))
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  voiceUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const { apiUrl = server.url, authToken = TWILIO_AUTH_TOKEN, withinMs } = more;
  const carrier = createTwilioCarrier({
    apiUrl,
    accountSid: TWILIO_ACCOUNT_SID,
    authToken,
    voiceUrl,
    clock,
    sockets,
    logger: { error: log, warn: log, debug: log },
    ...(withinMs === undefined ? {} : { withinMs }),
  });

  const pass = async (ms: number) => {
    // The hand-moved clock must not run away from what is under way for real.
    const hurryAt = performance.now() + 1_000;
    do await new Promise<void>((resolve) => setTimeout(resolve, 1));
    while (server.isBusy() && performance.now() < hurryAt);
    server.tick();
    clock.advance(ms);
  };
  let lastId = 0;
  return {
    clock,
    server,
    carrier,
    inboundUrl: `${voiceUrl}/v1/callbacks/twilio/inbound`,
    logged,
    tick: () => pass(20),
    async until(done, stepMs = 20) {
      for (let passed = 0; !done() && passed < MOST_MS; passed += stepMs) await pass(stepMs);
      expect(done()).toBe(true);
    },
    async dial(to = "+12125550110") {
      return follow(
        await carrier.dial({
          organizationId: "organization",
          callId: `call-${++lastId}`,
          from: "+12125550199",
          to,
          ringTimeoutMs: 30_000,
        }),
      );
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
