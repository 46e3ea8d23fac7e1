import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import * as sql from "./activity.sql.ts";

/** How long uses are gathered before they are written. */
export const GATHER_MS = 60_000;

export interface ActivityTracker {
  /** Notes that a key was used. Touches memory only: it stands on the path of every request. */
  used(caller: { keyId: string; organizationId: string }): void;
  /** Writes what was gathered now. What could not be written stays gathered. */
  flush(): Promise<void>;
  /** Writes what was gathered and ends the timer. */
  close(): Promise<void>;
}

/** Keeps `last_used_at` of keys and `last_api_activity_at` of organizations, at most a minute late, in one statement. */
export function createActivityTracker(deps: {
  database: Database;
  clock: Clock;
  onError(error: unknown): void;
}): ActivityTracker {
  const { database, clock } = deps;
  let gathered = new Map<string, { organizationId: string; at: number }>();
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let closed = false;

  const arm = () => {
    if (closed) return;
    cancelTimer ??= clock.schedule(clock.now() + GATHER_MS, () => {
      cancelTimer = undefined;
      flush().catch(deps.onError);
    });
  };

  const write = async () => {
    cancelTimer?.();
    cancelTimer = undefined;
    if (gathered.size === 0) return;
    const batch = gathered;
    gathered = new Map();
    const rows = [...batch]
      .map(([keyId, { organizationId, at }]) => ({ keyId, organizationId, at }))
      .sort((a, b) => compare(a.organizationId, b.organizationId) || compare(a.keyId, b.keyId));
    try {
      await database.query({
        ...sql.recordActivity,
        values: [
          rows.map((row) => row.organizationId),
          rows.map((row) => row.keyId),
          rows.map((row) => timestamp(row.at)),
        ],
      });
    } catch (error) {
      // Newer uses were noted meanwhile: they win.
      gathered = new Map([...batch, ...gathered]);
      arm();
      throw error;
    }
  };

  // One at a time, so that whoever awaits a flush knows that everything noted before it is written.
  const flush = (): Promise<void> => {
    const next = writing.then(write);
    writing = next.catch(() => {});
    return next;
  };

  return {
    used({ keyId, organizationId }) {
      const at = clock.now();
      const known = gathered.get(keyId);
      if (known) known.at = at;
      else gathered.set(keyId, { organizationId, at });
      arm();
    },
    flush,
    async close() {
      closed = true;
      await flush();
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
