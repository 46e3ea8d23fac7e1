// Longer than 300 lines: one call as Telnyx runs it, and the server that all of its commands and webhooks belong to.
import { generateKeyPairSync, randomBytes, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import { problemsOf } from "./telnyx-commands.ts";
import { openTelnyxStream, type StreamOptions, type TelnyxStream } from "./telnyx-stream.ts";

/** A command that came: `dial`, `answer`, `hangup`, `reject`, `status`. */
export interface ReceivedCommand {
  command: string;
  callControlId: string | null;
  body: Record<string, unknown>;
  /** What it was answered. */
  status: number;
}

/** An event as it was sent. */
export interface SentEvent {
  type: string;
  body: string;
  headers: Record<string, string>;
  url: string;
  /** Of the answer. */
  status: number;
}

/** One call, as Telnyx runs it. Each event is sent once the one before was answered. */
export interface TelnyxServerCall {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  /** The command that began it on our side: dial, or answer. */
  readonly body: Readonly<Record<string, unknown>>;
  isOver(): boolean;
  /** Sends an event of the call with these fields more. */
  event(type: string, fields?: Record<string, unknown>): Promise<SentEvent>;
  initiated(): Promise<void>;
  /** The phone is picked up: tells so, and opens the media socket. */
  answered(): Promise<TelnyxStream>;
  /** Opens the media socket alone. */
  stream(options?: StreamOptions): Promise<TelnyxStream>;
  /** The network or the person ends it. */
  hangup(cause?: string, sipCause?: string, source?: string): Promise<void>;
  /** It is over at Telnyx, and nobody is told. */
  vanish(): void;
}

/** What becomes of a command instead of its work. */
export type Misbehaviour =
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Never answered. */
  | "silence"
  /** The connection breaks. */
  | "drop"
  /** What was asked for is done, and never answered. */
  | "silence_after_work"
  | "drop_after_work";

export interface TelnyxServer {
  /** As `TELNYX_API_URL`. */
  readonly url: string;
  /** As `TELNYX_PUBLIC_KEY`. */
  readonly publicKey: string;
  readonly received: ReceivedCommand[];
  readonly sent: SentEvent[];
  readonly calls: TelnyxServerCall[];
  /** Of the next commands of this kind. */
  misbehave(command: string, ...how: Misbehaviour[]): void;
  /** Somebody calls a number of the account. */
  callIn(call: { from: string; to: string; webhookUrl: string }): TelnyxServerCall;
  /** Signs a body as an event is. */
  headersFor(body: string, atSeconds?: number): Record<string, string>;
  /** 20 ms of everybody's voice. */
  tick(): void;
  close(): Promise<void>;
}

export const TELNYX_API_KEY = "KEY0123456789ABCDEF_0123456789abcdef";
export const TELNYX_CONNECTION_ID = "1494404757140276705";

/**
 * Telnyx's call control on loopback, by its public documentation: takes commands strictly, sends signed events, and streams media.
 * @param onDial what happens to a call once it was taken
 */
export async function telnyxServer(options: {
  onDial(call: TelnyxServerCall): Promise<void>;
  /** What a call isn't taken with, in the place of an answer. */
  refuses?(body: Readonly<Record<string, unknown>>): Misbehaviour | null;
  /** Milliseconds since the epoch; signatures have it. */
  now(): number;
}): Promise<TelnyxServer> {
  const keys = generateKeyPairSync("ed25519");
  const publicKey = keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const received: ReceivedCommand[] = [];
  const sent: SentEvent[] = [];
  const calls = new Map<string, TelnyxServerCall & Live>();
  const byCommandId = new Map<string, string>();
  const streams = new Set<TelnyxStream>();
  const misbehaviours = new Map<string, Misbehaviour[]>();

  const headersFor = (body: string, atSeconds = Math.floor(options.now() / 1000)) => ({
    "content-type": "application/json",
    "telnyx-timestamp": String(atSeconds),
    "telnyx-signature-ed25519": sign(null, Buffer.from(`${atSeconds}|${body}`), keys.privateKey).toString(
      "base64",
    ),
  });

  async function send(type: string, url: string, payload: object): Promise<SentEvent> {
    const event = {
      data: {
        record_type: "event",
        event_type: type,
        id: randomUUID(),
        occurred_at: new Date(options.now()).toISOString(),
        payload,
      },
      meta: { attempt: 1, delivered_to: url },
    };
    const body = JSON.stringify(event);
    const headers = headersFor(body);
    const made: SentEvent = { type, body, headers, url, status: 0 };
    sent.push(made);
    const answer = await fetch(url, { method: "POST", body, headers }).catch(() => null);
    made.status = answer?.status ?? 0;
    await answer?.arrayBuffer();
    return made;
  }

  interface Live {
    /** Of the call as a resource. */
    resource(): Record<string, unknown>;
    begin(body: Record<string, unknown>): void;
    end(cause: string, sipCause: string, source: string, tells: boolean): Promise<void>;
  }

  function open(direction: "incoming" | "outgoing", from: string, to: string, fallbackUrl: string) {
    const id = `v3:${randomBytes(24).toString("base64url")}`;
    const legId = randomUUID();
    const startedAt = new Date(options.now()).toISOString();
    let body: Record<string, unknown> = {};
    let endedAt: string | null = null;
    let stream: TelnyxStream | null = null;
    let last: Promise<unknown> = Promise.resolve();
    const common = () => ({
      call_control_id: id,
      call_leg_id: legId,
      call_session_id: legId,
      client_state: body.client_state ?? null,
      connection_id: TELNYX_CONNECTION_ID,
      from,
      to,
      start_time: startedAt,
    });
    const call: TelnyxServerCall & Live = {
      id,
      from,
      to,
      get body() {
        return body;
      },
      begin(given) {
        body = given;
      },
      isOver: () => endedAt !== null,
      resource: () => ({
        record_type: "call",
        call_control_id: id,
        call_leg_id: legId,
        call_session_id: legId,
        client_state: body.client_state,
        is_alive: endedAt === null,
        start_time: startedAt,
        ...(endedAt === null ? {} : { end_time: endedAt }),
      }),
      event(type, fields = {}) {
        const payload = { ...common(), ...fields };
        const url = String(body.webhook_url ?? fallbackUrl);
        const next = last.then(() => send(type, url, payload));
        last = next;
        return next;
      },
      async initiated() {
        const state = direction === "incoming" ? "parked" : "bridging";
        await call.event("call.initiated", { direction, state });
      },
      async answered() {
        void call.event("call.answered", { state: "answered" });
        const opened = await call.stream();
        await call.event("streaming.started", { stream_url: body.stream_url });
        return opened;
      },
      async stream(given = {}) {
        const socket = new WebSocket(String(body.stream_url));
        const opened = await openTelnyxStream(socket, { ...common(), ...given });
        stream = opened;
        streams.add(opened);
        return opened;
      },
      hangup: (cause = "normal_clearing", sipCause = "200", source = "callee") =>
        call.end(cause, sipCause, source, true),
      async end(hangup_cause, sip_hangup_cause, hangup_source, tells) {
        if (endedAt !== null) return;
        endedAt = new Date(options.now()).toISOString();
        stream?.stop();
        if (tells)
          await call.event("call.hangup", {
            state: "hangup",
            hangup_cause,
            sip_hangup_cause,
            hangup_source,
            end_time: endedAt,
          });
      },
      vanish() {
        endedAt ??= new Date(options.now()).toISOString();
      },
    };
    calls.set(id, call);
    return call;
  }

  function dial(body: Record<string, unknown>): Answer {
    if (body.connection_id !== TELNYX_CONNECTION_ID)
      return refused(404, "10005", "Resource not found", "The requested resource could not be found.");
    const commandId = String(body.command_id);
    // One that came again is ignored.
    const known = byCommandId.get(commandId);
    if (known !== undefined) return { status: 200, body: { data: calls.get(known)!.resource() } };
    const call = open("outgoing", String(body.from), String(body.to), "");
    call.begin(body);
    byCommandId.set(commandId, call.id);
    setImmediate(() => void options.onDial(call));
    return { status: 200, body: { data: { ...call.resource(), is_alive: false } } };
  }

  function act(callControlId: string, command: string, body: Record<string, unknown>): Answer {
    const call = calls.get(callControlId);
    if (!call) return refused(404, "10005", "Resource not found", "No such call.");
    if (command === "status") return { status: 200, body: { data: call.resource() } };
    if (call.isOver())
      return refused(422, "90018", "Call has already ended", "This call is no longer active.");
    if (command === "answer") {
      call.begin(body);
      setImmediate(() => void call.answered().catch(() => undefined));
    } else if (command === "reject") void call.end("call_rejected", "unspecified", "callee", true);
    else void call.end("normal_clearing", "200", "caller", true);
    return { status: 200, body: { data: { result: "ok" } } };
  }

  function refusalOf(command: string, text: string): Misbehaviour | null {
    if (command !== "dial" || !options.refuses) return null;
    return options.refuses(JSON.parse(text) as Record<string, unknown>);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { command, callControlId } = commandOf(request);
    const text = Buffer.concat(parts).toString();
    const misbehaviour = misbehaviours.get(command)?.shift() ?? refusalOf(command, text);
    const entry: ReceivedCommand = { command, callControlId, body: {}, status: 0 };
    received.push(entry);
    const finish = (status: number, body: string, headers: Record<string, string> = {}) => {
      entry.status = status;
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    };
    if (misbehaviour === "silence") return;
    if (misbehaviour === "drop") return void request.socket.destroy();
    if (typeof misbehaviour === "object" && misbehaviour !== null)
      return finish(misbehaviour.status, misbehaviour.body ?? "", misbehaviour.headers);
    const answer = admit(request, command, text, (body) => {
      entry.body = body;
      return command === "dial" ? dial(body) : act(callControlId ?? "", command, body);
    });
    if (misbehaviour === "silence_after_work") return;
    if (misbehaviour === "drop_after_work") return void request.socket.destroy();
    finish(answer.status, JSON.stringify(answer.body));
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKey,
    received,
    sent,
    get calls() {
      return [...calls.values()];
    },
    misbehave: (command, ...how) => void misbehaviours.set(command, how),
    callIn({ from, to, webhookUrl }) {
      const call = open("incoming", from, to, webhookUrl);
      void call.initiated();
      return call;
    },
    headersFor,
    tick() {
      for (const stream of streams) stream.tick();
    },
    close() {
      for (const stream of streams) stream.drop();
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

interface Answer {
  status: number;
  body: object;
}

/** The key, the type of the body, and each of its fields, before anything is done. */
function admit(
  request: IncomingMessage,
  command: string,
  text: string,
  work: (body: Record<string, unknown>) => Answer,
): Answer {
  if (request.headers.authorization !== `Bearer ${TELNYX_API_KEY}`)
    return refused(401, "10009", "Authentication failed", "The API key looks malformed.");
  if (command === "status") return work({});
  if (request.headers["content-type"] !== "application/json")
    return refused(415, "10014", "Unsupported Media Type", "Send JSON.");
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return refused(400, "10023", "Invalid JSON", "The supplied body is not valid JSON.");
  }
  const problems = problemsOf(command, body);
  if (problems === null) return refused(404, "10005", "Resource not found", "There is no such path.");
  if (problems.length === 0) return work(body);
  const errors = problems.map(({ pointer, ...error }) => ({ ...error, source: { pointer } }));
  return { status: 422, body: { errors } };
}

function refused(status: number, code: string, title: string, detail: string): Answer {
  return { status, body: { errors: [{ code, title, detail }] } };
}

function commandOf({ method, url = "" }: IncomingMessage): { command: string; callControlId: string | null } {
  if (method === "POST" && url === "/v2/calls") return { command: "dial", callControlId: null };
  const [, id, action] = /^\/v2\/calls\/([^/?]+)(?:\/actions\/([a-z_]+))?$/.exec(url) ?? [];
  if (id === undefined) return { command: "unknown", callControlId: null };
  const callControlId = decodeURIComponent(id);
  if (action === undefined) return { command: method === "GET" ? "status" : "unknown", callControlId };
  return { command: method === "POST" ? action : "unknown", callControlId };
}
