import { createSecureContext } from "node:tls";
import { Client, type Dispatcher } from "undici";
import type { VettedTarget } from "../target/index.ts";
import { dial, type OpenSocket } from "./dial.ts";

export interface ConnectionsOptions {
  readonly openSocket: OpenSocket;
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string | readonly string[] | undefined;
  /** Idle connections kept over all targets; beyond it the one idle for longest goes. */
  readonly maxIdle: number;
}

/**
 * One keep-alive HTTP/1.1 connection that carries one request at a time. An undici Client each, not a Pool: a pool
 * queues when its connections are taken, and then one subscription's slow path at a host would hold up another
 * subscription's at the same host.
 */
export interface Connection {
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Gives the connection back after a complete exchange, to be used again or to age. */
  release(): void;
  /** Closes it, whatever it is doing; what it was carrying errors. Resolves when its socket is gone. */
  discard(): Promise<void>;
}

/** The connections of one delivery client: busy ones belong to a delivery, idle ones wait to be reused. */
export interface Connections {
  /**
   * An idle connection to the same origin whose address is among those just vetted, else a new one, which connects
   * when something is dispatched on it. Never waits: how many are busy at a time is the dispatcher's to limit.
   */
  acquire(target: VettedTarget): Connection;
  readonly idle: number;
  /** Closes all, busy and idle; resolves when their sockets are gone. */
  close(): Promise<void>;
}

// Below what receivers commonly allow (Node 5 s, Apache 5 s, nginx 75 s), so that the connection is not closed by
// the other side in the very moment it is used; a receiver's own `Keep-Alive: timeout=` is honoured, less a second.
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 15_000;
const KEEP_ALIVE_MARGIN_MS = 1_000;

interface Entry extends Connection {
  readonly origin: string;
  /** The address it is connected to; null until then. */
  address: string | null;
  target: VettedTarget;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const secureContext = createSecureContext(options.ca ? { ca: [options.ca].flat() } : {});
  const all = new Set<Entry>();
  /** Idle entries, the one idle for longest first. */
  const idle = new Set<Entry>();
  /** The same entries by origin; the last one was used last. */
  const idleByOrigin = new Map<string, Entry[]>();

  const leaveIdle = (entry: Entry) => {
    if (!idle.delete(entry)) return;
    const entries = idleByOrigin.get(entry.origin)!;
    if (entries.at(-1) === entry) entries.pop();
    else entries.splice(entries.lastIndexOf(entry), 1);
    if (entries.length === 0) idleByOrigin.delete(entry.origin);
  };

  const open = (target: VettedTarget): Entry => {
    let cancelDial = () => {};
    const client = new Client(target.origin, {
      pipelining: 1,
      // The delivery's own limit covers the whole exchange; undici's are per phase.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (_, callback) => {
        cancelDial = dial(entry.target, secureContext, options.openSocket, (error, dialed) => {
          cancelDial = () => {};
          entry.address = dialed?.address ?? null;
          if (dialed) callback(null, dialed.socket);
          else callback(error ?? new Error("not connected"), null);
        });
      },
    });
    const entry: Entry = {
      origin: target.origin,
      address: null,
      target,
      dispatch: (request, handler) => void client.dispatch(request, handler),
      release: () => {
        if (!all.has(entry)) return;
        idle.add(entry);
        const entries = idleByOrigin.get(entry.origin);
        if (entries) entries.push(entry);
        else idleByOrigin.set(entry.origin, [entry]);
        if (idle.size > options.maxIdle) void idle.values().next().value!.discard();
      },
      discard: async () => {
        if (!all.delete(entry)) return;
        leaveIdle(entry);
        cancelDial();
        await client.destroy();
      },
    };
    // Closed by the other side, or idle for too long. A busy one's delivery hears of it from the client.
    client.on("disconnect", () => {
      if (idle.has(entry)) void entry.discard();
    });
    all.add(entry);
    return entry;
  };

  return {
    acquire(target) {
      for (;;) {
        const entry = idleByOrigin.get(target.origin)?.at(-1);
        if (!entry) return open(target);
        leaveIdle(entry);
        if (target.addresses.some(({ address }) => address === entry.address)) {
          entry.target = target;
          return entry;
        }
        void entry.discard(); // Connected to an address that the host no longer has.
      }
    },
    get idle() {
      return idle.size;
    },
    async close() {
      await Promise.all([...all].map((entry) => entry.discard()));
    },
  };
}
