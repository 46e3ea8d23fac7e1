import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, WebSocket } from "undici";

/** One WebSocket to a realtime server, open. */
export interface RealtimeSocket {
  send(message: object): void;
  /** More waits to be sent than a working connection would let pile up. */
  readonly isStuck: boolean;
  /** Nothing is told any more. */
  close(): void;
}

/** The connection couldn't be opened. The message holds nothing that the server said: that may quote a key. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";
  /** Of the server's refusal; null when it didn't answer. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null = null, retryAfterMs: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RealtimeSocketOptions {
  url: string;
  apiKey: string | null;
  wires: Wires;
  withinMs: number;
  onMessage(message: Readonly<Record<string, unknown>>): void;
  /** What came was no message: not JSON, or no object. */
  onGarbage(): void;
  /** The server has closed it, or it broke. */
  onClosed(): void;
}

const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024;
const MOST_UNSENT_BYTES = 1024 * 1024;
/** A server that doesn't say goodbye in turn is left. */
const GOODBYE_WITHIN_MS = 2_000;

/** The TCP connections of one engine. Its owner closes them. */
export interface Wires {
  /** For one WebSocket. */
  dispatcher(onConnected: (wire: Socket) => void): Agent;
  close(): void;
}

export function createWires(connectWithinMs: number): Wires {
  const connect = buildConnector({ timeout: connectWithinMs });
  const wires = new Set<Socket>();
  return {
    dispatcher: (onConnected) =>
      new Agent({
        connect(options, callback) {
          connect(options, (...result) => {
            const [error, wire] = result;
            if (error === null) {
              wires.add(wire);
              wire.once("close", () => wires.delete(wire));
              onConnected(wire);
            }
            callback(...result);
          });
        },
        webSocket: { maxPayloadSize: LARGEST_MESSAGE_BYTES },
      }),
    close() {
      for (const wire of wires) wire.destroy();
    },
  };
}

/** @throws ConnectionFailed */
export function openRealtimeSocket(options: RealtimeSocketOptions): Promise<RealtimeSocket> {
  const { url, apiKey, withinMs, onMessage, onGarbage, onClosed } = options;
  const refusal: Refusal = { status: null, retryAfterMs: null };
  let wire: Socket | null = null;
  const dispatcher = options.wires.dispatcher((connected) => {
    wire = connected;
  });
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      dispatcher: dispatcher.compose((dispatch) => (request, handler) => {
        return dispatch(request, watching(handler, refusal));
      }),
    });
    let state: "opening" | "open" | "closed" = "opening";
    const timer = setTimeout(() => fail("it didn't answer in time"), withinMs);
    const leave = () => {
      socket.close();
      const left = wire;
      if (!left || left.destroyed) return;
      const cut = setTimeout(() => left.destroy(), GOODBYE_WITHIN_MS);
      cut.unref();
      left.once("close", () => clearTimeout(cut));
    };
    const fail = (why: string) => {
      if (state !== "opening") return;
      state = "closed";
      clearTimeout(timer);
      leave();
      reject(
        new ConnectionFailed(
          `the realtime server couldn't be reached: ${why}`,
          refusal.status,
          refusal.retryAfterMs,
        ),
      );
    };
    const lose = () => {
      if (state === "opening")
        return fail(refusal.status === null ? "no connection" : `it answered ${refusal.status}`);
      if (state === "closed") return;
      state = "closed";
      onClosed();
    };
    socket.addEventListener("error", lose);
    socket.addEventListener("close", lose);
    // From the first moment on: the first message comes with the answer to the handshake.
    socket.addEventListener("message", ({ data }) => {
      if (state === "closed") return;
      const message = readMessage(data);
      if (message) onMessage(message);
      else onGarbage();
    });
    socket.addEventListener("open", () => {
      if (state !== "opening") return leave();
      state = "open";
      clearTimeout(timer);
      resolve({
        send(message) {
          if (state === "open") socket.send(JSON.stringify(message));
        },
        get isStuck() {
          return socket.bufferedAmount > MOST_UNSENT_BYTES;
        },
        close() {
          state = "closed";
          leave();
        },
      });
    });
  });
}

function readMessage(data: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof data !== "string") return null;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === "object" && message !== null && !Array.isArray(message)
      ? (message as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

interface Refusal {
  status: number | null;
  retryAfterMs: number | null;
}

/** A WebSocket doesn't tell why its handshake was refused: this looks over its shoulder. */
function watching(handler: Dispatcher.DispatchHandler, refusal: Refusal): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart(...given) {
      const [, status, headers] = given;
      refusal.status = status;
      const seconds = Number(headers["retry-after"] ?? Number.NaN);
      if (seconds >= 0) refusal.retryAfterMs = seconds * 1_000;
      handler.onResponseStart?.(...given);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
