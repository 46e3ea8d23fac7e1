// Longer than 300 lines: one call as Twilio runs it, and the server that all of its requests and callbacks belong to.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import twilio from "twilio";
import { WebSocket } from "ws";
import { openTwilioStream, type StreamOptions, type TwilioStream } from "./twilio-stream.ts";

/** A request as it came, and what it was answered. */
export interface ReceivedRequest {
  /** `dial`, `update`, `fetch`. */
  kind: string;
  callSid: string | null;
  form: URLSearchParams;
  status: number;
}

/** A form as it was sent to us. */
export interface SentForm {
  url: string;
  form: Record<string, string>;
  headers: Record<string, string>;
  /** Of the answer; 0 when there was none. */
  status: number;
  text: string;
}

/** One call, as Twilio runs it. Each callback is sent once the one before was answered. */
export interface TwilioServerCall {
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  /** As the call's resource says. */
  readonly status: string;
  /** What began it; empty for a call that came in. */
  readonly form: URLSearchParams;
  isOver(): boolean;
  /** Tells of a status, with these fields more. */
  tell(status: string, fields?: Record<string, string>): Promise<SentForm>;
  /** The phone is picked up: tells so, and opens the media stream. */
  answered(): Promise<TwilioStream>;
  /** Opens the media stream alone. */
  stream(options?: Partial<StreamOptions>): Promise<TwilioStream>;
  /** It is over: ended by the person or the network. */
  end(status: string, fields?: Record<string, string>): Promise<void>;
  /** It is over at Twilio, and nobody is told. */
  vanish(status: string): void;
  /** Of a call that came in: what we said to it. */
  readonly twiml: string | null;
}

/** What becomes of a request instead of its work. */
export type Misbehaviour =
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Never answered; the connection breaks. */
  | "silence"
  | "drop"
  /** What was asked for is done, and never answered. */
  | "silence_after_work";

export interface TwilioServer {
  /** As `TWILIO_API_URL`. */
  readonly url: string;
  readonly received: ReceivedRequest[];
  readonly sent: SentForm[];
  readonly calls: TwilioServerCall[];
  /** Of the next requests of this kind. */
  misbehave(kind: string, ...how: Misbehaviour[]): void;
  /** Somebody calls a number of the account, whose voice webhook is this. */
  callIn(call: { from: string; to: string; webhookUrl: string }): TwilioServerCall;
  /** Sends a form, signed as Twilio signs it. */
  post(url: string, form: Record<string, string>, signedWith?: string): Promise<SentForm>;
  /** 20 ms of everybody's voice. */
  tick(): void;
  /** Whether something is on its way to us, or being answered. */
  isBusy(): boolean;
  close(): Promise<void>;
}

export const TWILIO_ACCOUNT_SID = `AC${"0123456789abcdef".repeat(2)}`;
export const TWILIO_AUTH_TOKEN = "fedcba9876543210fedcba9876543210";

const OVER = ["completed", "busy", "no-answer", "canceled", "failed"];
const E164 = /^\+[1-9]\d{6,14}$/;
const FIELDS = [
  "From",
  "To",
  "Twiml",
  "Timeout",
  "StatusCallback",
  "StatusCallbackMethod",
  "StatusCallbackEvent",
];
const CALL_EVENTS = ["initiated", "ringing", "answered", "completed"];

interface Answer {
  status: number;
  body: object;
}

/**
 * Twilio's calls and media streams on loopback, by its public documentation: takes requests strictly, sends signed callbacks.
 * @param onDial what happens to a call once it was taken
 * @param reach where an address of ours really is
 */
export async function twilioServer(options: {
  onDial(call: TwilioServerCall): Promise<unknown>;
  reach?(url: string): string;
}): Promise<TwilioServer> {
  const reach = options.reach ?? ((url) => url);
  const received: ReceivedRequest[] = [];
  const sent: SentForm[] = [];
  const calls = new Map<string, TwilioServerCall & Live>();
  const streams = new Set<TwilioStream>();
  const misbehaviours = new Map<string, Misbehaviour[]>();
  let underWay = 0;

  interface Live {
    resource(): Record<string, unknown>;
  }

  async function post(
    url: string,
    form: Record<string, string>,
    token = TWILIO_AUTH_TOKEN,
  ): Promise<SentForm> {
    const headers = {
      "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
      "x-twilio-signature": twilio.getExpectedTwilioSignature(token, url, form),
      "i-twilio-idempotency-token": randomBytes(16).toString("hex"),
    };
    const made: SentForm = { url, form, headers, status: 0, text: "" };
    sent.push(made);
    underWay++;
    try {
      const answer = await fetch(reach(url), { method: "POST", headers, body: new URLSearchParams(form) });
      made.status = answer.status;
      made.text = await answer.text();
    } catch {
      // As when nobody is there.
    } finally {
      underWay--;
    }
    return made;
  }

  function open(direction: "inbound" | "outbound-api", from: string, to: string, form: URLSearchParams) {
    const sid = `CA${randomBytes(16).toString("hex")}`;
    let status = direction === "inbound" ? "ringing" : "queued";
    let stream: TwilioStream | null = null;
    let twiml = form.get("Twiml");
    let sequence = 0;
    let last: Promise<unknown> = Promise.resolve();
    const about = () => ({
      CallSid: sid,
      AccountSid: TWILIO_ACCOUNT_SID,
      From: from,
      To: to,
      Caller: from,
      Called: to,
      Direction: direction,
      ApiVersion: "2010-04-01",
      CallStatus: status,
    });
    const call: TwilioServerCall & Live = {
      sid,
      from,
      to,
      form,
      get status() {
        return status;
      },
      get twiml() {
        return twiml;
      },
      isOver: () => OVER.includes(status),
      resource: () => ({
        sid,
        account_sid: TWILIO_ACCOUNT_SID,
        api_version: "2010-04-01",
        from,
        to,
        status,
        direction,
        answered_by: null,
        date_created: null,
        start_time: null,
        end_time: null,
        duration: null,
        price: null,
        uri: `/2010-04-01/Accounts/${TWILIO_ACCOUNT_SID}/Calls/${sid}.json`,
        subresource_uris: {},
      }),
      tell(told, fields = {}) {
        if (!OVER.includes(status)) status = told;
        const body = {
          ...about(),
          CallStatus: told,
          CallbackSource: "call-progress-events",
          SequenceNumber: String(sequence++),
          Timestamp: new Date(0).toUTCString(),
          ...fields,
        };
        const next = last.then(() => post(form.get("StatusCallback") ?? "", body));
        last = next;
        return next;
      },
      async answered() {
        void call.tell("in-progress");
        return call.stream();
      },
      async stream(given = {}) {
        const socket = new WebSocket(reach(streamUrlOf(twiml ?? "")));
        const opened = await openTwilioStream(socket, {
          accountSid: TWILIO_ACCOUNT_SID,
          callSid: sid,
          ...given,
        });
        stream = opened;
        streams.add(opened);
        if (call.isOver()) opened.stop();
        return opened;
      },
      async end(told, fields = {}) {
        if (call.isOver()) return;
        status = told;
        stream?.stop();
        if (form.has("StatusCallback")) await call.tell(told, { CallDuration: "1", ...fields });
      },
      vanish(told) {
        status = told;
      },
    };
    calls.set(sid, call);
    const offer = async (webhookUrl: string) => {
      twiml = (await post(webhookUrl, about())).text;
      const rejected = /<Reject reason="(busy|rejected)"\/>/.exec(twiml);
      if (rejected) await call.end(rejected[1] === "busy" ? "busy" : "no-answer");
      else if (streamUrlOf(twiml) === "") await call.end("completed");
      else status = "in-progress";
    };
    return { call, offer };
  }

  function dial(form: URLSearchParams): Answer {
    const wrong = problemOf(form);
    if (wrong) return refused(400, ...wrong);
    const { call } = open("outbound-api", form.get("From")!, form.get("To")!, form);
    setImmediate(() => void options.onDial(call).catch(() => undefined));
    return { status: 201, body: call.resource() };
  }

  function update(call: TwilioServerCall & Live, form: URLSearchParams): Answer {
    const status = form.get("Status");
    if ([...form.keys()].join() !== "Status" || (status !== "canceled" && status !== "completed"))
      return refused(400, 21218, "Invalid Status");
    if (call.isOver()) return refused(400, 21220, "Call is not in-progress. Cannot redirect.");
    const isAnswered = call.status === "in-progress";
    if (status === "completed" || !isAnswered) void call.end(isAnswered ? "completed" : "canceled");
    return { status: 200, body: call.resource() };
  }

  function work(kind: string, callSid: string | null, form: URLSearchParams): Answer {
    if (kind === "dial") return dial(form);
    const call = calls.get(callSid ?? "");
    if (!call) return refused(404, 20404, `The requested resource /Calls/${callSid}.json was not found`);
    return kind === "fetch" ? { status: 200, body: call.resource() } : update(call, form);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = new URLSearchParams(Buffer.concat(parts).toString());
    const [, account, sid] =
      /^\/2010-04-01\/Accounts\/(\w+)\/Calls(?:\/(\w+))?\.json$/.exec(request.url ?? "") ?? [];
    const kind = request.method === "GET" ? "fetch" : sid === undefined ? "dial" : "update";
    const entry: ReceivedRequest = { kind, callSid: sid ?? null, form, status: 0 };
    received.push(entry);
    const misbehaviour = misbehaviours.get(kind)?.shift();
    const finish = (status: number, body: string, headers: Record<string, string> = {}) => {
      entry.status = status;
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    };
    if (misbehaviour === "silence") return;
    if (misbehaviour === "drop") return void request.socket.destroy();
    if (typeof misbehaviour === "object")
      return finish(misbehaviour.status, misbehaviour.body ?? "", misbehaviour.headers);
    const answer = admit(request, account) ?? work(kind, sid ?? null, form);
    if (misbehaviour === "silence_after_work") return;
    finish(answer.status, JSON.stringify(answer.body));
  }

  const server = createServer((request, response) => {
    underWay++;
    response.on("close", () => underWay--);
    void serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sent,
    get calls() {
      return [...calls.values()];
    },
    misbehave: (kind, ...how) => void misbehaviours.set(kind, how),
    callIn({ from, to, webhookUrl }) {
      const { call, offer } = open("inbound", from, to, new URLSearchParams());
      void offer(webhookUrl).catch(() => undefined);
      return call;
    },
    post,
    tick() {
      for (const stream of streams) stream.tick();
    },
    isBusy: () => underWay > 0,
    close() {
      for (const stream of streams) stream.drop();
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Who asks, in which form; before anything is done. */
function admit(request: IncomingMessage, account: string | undefined): Answer | null {
  const expected = `Basic ${Buffer.from(`${TWILIO_ACCOUNT_SID}:${TWILIO_AUTH_TOKEN}`).toString("base64")}`;
  if (request.headers.authorization !== expected) return refused(401, 20003, "Authenticate");
  if (account !== TWILIO_ACCOUNT_SID) return refused(404, 20404, "The requested resource was not found");
  const type = request.headers["content-type"] ?? "";
  if (request.method === "POST" && !type.startsWith("application/x-www-form-urlencoded"))
    return refused(415, 20415, "Unsupported Media Type");
  return null;
}

/** What is wrong with a request for a call: Twilio's code and its words. */
function problemOf(form: URLSearchParams): [number, string] | null {
  const unknown = [...form.keys()].find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return [20001, `Unknown parameter ${unknown}`];
  const one = (name: string) => (form.getAll(name).length === 1 ? form.get(name)! : "");
  if (one("To") === "") return [21201, "No 'To' number is specified"];
  if (!E164.test(one("To"))) return [21211, `Invalid 'To' Phone Number: ${one("To")}`];
  if (one("From") === "") return [21213, "No 'From' number is specified"];
  if (!E164.test(one("From"))) return [21212, `Invalid From Number (caller ID): ${one("From")}`];
  if (one("Twiml") === "") return [21205, "Url parameter is required."];
  if (!isConnect(one("Twiml"))) return [12100, "Document parse failure"];
  if (!/^\d{1,3}$/.test(one("Timeout")) || Number(one("Timeout")) > 600) return [21218, "Invalid Timeout"];
  if (!URL.canParse(one("StatusCallback")) || one("StatusCallbackMethod") !== "POST")
    return [21609, "Invalid 'StatusCallback' URL"];
  const events = form.getAll("StatusCallbackEvent");
  if (!CALL_EVENTS.every((event) => events.includes(event)) || events.length !== CALL_EVENTS.length)
    return [21626, "Invalid statusCallbackEvents"];
  return null;
}

/** The address of the audio in what we said; empty when it says something else. */
function streamUrlOf(twiml: string): string {
  return /<Stream url="([^"]+)"/.exec(twiml)?.[1]?.replaceAll("&amp;", "&") ?? "";
}

/** Whether it says word by word what Twilio's own library would. */
function isConnect(twiml: string): boolean {
  const url = streamUrlOf(twiml);
  const own = new twilio.twiml.VoiceResponse();
  own.connect().stream({ url });
  return /^wss?:\/\/[^?]+$/.test(url) && own.toString() === twiml;
}

function refused(status: number, code: number, message: string): Answer {
  return {
    status,
    body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  };
}
