import pg from "pg";
import type { ConnectionOptions, Database } from "./database.ts";
import * as sql from "./notifications.sql.ts";

const CHANNELS = ["deliveries", "keys", "voice_requests", "voice_answers", "campaigns", "trunks"] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * Tells the other processes on this database that something happened. A hint, never the truth: a process that misses one
 * finds out by itself within seconds, so a pooler that drops LISTEN costs latency and nothing else.
 */
export interface Notifications {
  /** Tells the others soon; several calls within a moment become one. Does not tell this process. */
  notify(channel: Channel, payload?: string): void;
  onNotification(channel: Channel, listener: (payload: string) => void): void;
  close(): Promise<void>;
}

const GATHER_MS = 25;
const RECONNECT_MS = 1_000;

/**
 * Notifications are sent as statements of their own, after the commit they are about: NOTIFY inside a transaction takes
 * a lock that all notifying commits queue for.
 */
export function openNotifications(deps: {
  database: Database;
  connection: ConnectionOptions;
  /** Names this process, so that it ignores its own notifications. */
  processId: string;
  onError(error: unknown): void;
}): Notifications {
  const listeners = new Map<Channel, ((payload: string) => void)[]>();
  const pending = new Map<Channel, Set<string>>();
  let gathering: NodeJS.Timeout | undefined;
  let reconnecting: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let closed = false;

  const listen = async () => {
    const next = new pg.Client({
      ...deps.connection,
      application_name: "outreach-listen",
      connectionTimeoutMillis: 5_000,
    });
    client = next;
    next.on("error", deps.onError);
    next.on("end", () => {
      if (!closed && client === next) reconnecting = setTimeout(() => void listen(), RECONNECT_MS);
    });
    next.on("notification", ({ channel, payload = "" }) => {
      const [sender, ...rest] = payload.split(" ");
      if (sender === deps.processId) return;
      for (const listener of listeners.get(channel.replace(sql.PREFIX, "") as Channel) ?? [])
        listener(rest.join(" "));
    });
    try {
      await next.connect();
      for (const channel of CHANNELS) await next.query(sql.listen(channel));
    } catch (error) {
      deps.onError(error);
      await next.end().catch(() => {});
    }
  };
  void listen();

  const send = () => {
    gathering = undefined;
    const messages = [...pending].flatMap(([channel, payloads]) =>
      [...payloads].map((payload) => [channel, `${deps.processId} ${payload}`] as const),
    );
    pending.clear();
    sending = Promise.all(
      messages.map(([channel, payload]) =>
        deps.database.query({ ...sql.notify, values: [sql.PREFIX + channel, payload] }),
      ),
    ).catch(deps.onError);
  };

  return {
    notify(channel, payload = "") {
      if (closed) return;
      const payloads = pending.get(channel) ?? new Set();
      pending.set(channel, payloads.add(payload));
      gathering ??= setTimeout(send, GATHER_MS);
    },
    onNotification(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    },
    async close() {
      closed = true;
      if (gathering) {
        clearTimeout(gathering);
        send();
      }
      clearTimeout(reconnecting);
      await sending;
      await client?.end().catch(() => {});
    },
  };
}
