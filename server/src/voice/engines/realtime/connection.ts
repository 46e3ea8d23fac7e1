import type { ServerMessage } from "./open-realtime-session.ts";
import type { RealtimeDeps } from "./realtime-options.ts";
import { ConnectionFailed, type RealtimeSocket } from "./realtime-socket.ts";

/** The way to the server: replaced when it breaks, falls silent, or has nearly reached the age at which servers end it. */
export interface Connection {
  /** @throws ConnectionFailed when there is none and none can be had */
  ready(): Promise<void>;
  /** Sends it if there is a connection: a new one is told the whole conversation anyway. */
  send(message: object): void;
  /** Gives up this connection: a new one is opened. */
  drop(): void;
  /** An answer has come over it: what went wrong before counts no more. */
  proved(): void;
  /** To be called when nothing is under way. */
  exchangeIfDue(): void;
  onReconnected(listener: () => void): void;
  close(): void;
}

export interface ConnectionOptions extends Pick<RealtimeDeps, "clock" | "meter" | "times" | "openSession"> {
  /** Told of each connection before anything else is sent over it. */
  prepare(socket: RealtimeSocket): void;
  onMessage(message: ServerMessage): void;
  onLost(): void;
  onFailed(error: unknown): void;
}

/** Waits before each attempt to open a connection. */
const ATTEMPTS_AFTER_MS = [0, 300, 1_000];
/** Connections lost in a row without an answer in between. */
const MOST_LOSSES = 3;
const MOST_GARBAGE = 20;
/** What no second attempt changes. */
const FINAL_STATUSES = new Set([400, 401, 403, 404]);

export function createConnection(options: ConnectionOptions): Connection {
  const { clock, meter, times } = options;
  const reconnectListeners: (() => void)[] = [];
  let socket: RealtimeSocket | null = null;
  let opening: Promise<void> | null = null;
  let isFirst = true;
  let closed = false;
  let losses = 0;
  let garbage = 0;
  let isDue = false;
  let cancelDue: () => void = () => undefined;

  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void clock.schedule(clock.now() + milliseconds, resolve));

  async function open(): Promise<void> {
    const deadline = clock.now() + times.connectWithinMs;
    for (const [attempt, afterMs] of ATTEMPTS_AFTER_MS.entries()) {
      if (afterMs > 0) await sleep(afterMs);
      if (closed) throw new ConnectionFailed("the conversation is over");
      try {
        return await openOnce(deadline - clock.now());
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        meter.trouble(
          "realtime",
          error.status === 429 ? "rate_limited" : error.status === null ? "timeout" : "refused",
        );
        const retryAfterMs = error.retryAfterMs ?? 0;
        const nextAfterMs = ATTEMPTS_AFTER_MS[attempt + 1];
        const isLast = nextAfterMs === undefined || clock.now() + nextAfterMs + retryAfterMs >= deadline;
        if (isLast || FINAL_STATUSES.has(error.status ?? 0)) throw error;
        await sleep(retryAfterMs);
      }
    }
  }

  async function openOnce(withinMs: number): Promise<void> {
    let mine: RealtimeSocket | null = null;
    let isLost = false;
    const opened = await options.openSession({
      withinMs,
      onMessage: (message) => {
        if (mine === socket || mine === null) options.onMessage(message);
      },
      onGarbage() {
        meter.trouble("realtime", "garbage");
        if (++garbage >= MOST_GARBAGE && mine !== null && mine === socket) lose();
      },
      onClosed() {
        isLost = true;
        if (mine !== null && mine === socket) lose();
      },
    });
    if (closed || isLost) {
      opened.close();
      throw new ConnectionFailed(closed ? "the conversation is over" : "the connection broke at once");
    }
    mine = opened;
    garbage = 0;
    options.prepare(opened);
    socket = opened;
    isDue = false;
    cancelDue = clock.schedule(clock.now() + times.sessionMs, () => {
      isDue = true;
    });
    if (!isFirst) for (const listener of reconnectListeners) listener();
    isFirst = false;
  }

  function release() {
    cancelDue();
    socket?.close();
    socket = null;
  }

  function lose() {
    release();
    meter.trouble("realtime", "dropped");
    options.onLost();
    if (closed) return;
    if (++losses > MOST_LOSSES)
      return options.onFailed(new ConnectionFailed("the connection broke again and again"));
    ready().catch((error: unknown) => !closed && options.onFailed(error));
  }

  function ready(): Promise<void> {
    if (socket) return Promise.resolve();
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  return {
    ready,
    send(message) {
      if (!socket) return;
      socket.send(message);
      if (socket.isStuck) lose();
    },
    drop() {
      if (socket) lose();
    },
    proved() {
      losses = 0;
    },
    exchangeIfDue() {
      if (!isDue || !socket || closed) return;
      release();
      ready().catch((error: unknown) => !closed && options.onFailed(error));
    },
    onReconnected: (listener) => void reconnectListeners.push(listener),
    close() {
      closed = true;
      release();
    },
  };
}
