import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { startWorker, type Worker } from "../../workers/worker.ts";
import { readRecordingKey } from "./recording-key.ts";
import type { RecordingStore } from "./recording-store.ts";
import * as sql from "./recordings.sql.ts";

export interface KeepRecordingsDeps {
  database: Database;
  clock: Clock;
  recordings: RecordingStore;
  logger: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Whether this process also looks, once a day, for recordings whose call is gone. */
  removesOrphans: boolean;
}

interface FoundCall {
  key: string;
  organization_id: string;
  call_id: string;
  call_is_gone: boolean;
  has_ended: boolean;
}

const ROUND_MS = 60_000;
const DAY_MS = 86_400_000;
/** A call is there before its recording. The time is for an operator who restores a database, and then the rest of it. */
const ORPHAN_AGE_MS = 7 * DAY_MS;

/** Looks after recordings, at once and then every minute: finishes those left by a process that died, and tries uploads again. */
export function startRecordingKeeper(deps: KeepRecordingsDeps): Worker {
  let orphansAt = deps.clock.now();
  return startWorker({
    clock: deps.clock,
    intervalMs: ROUND_MS,
    onError: (error) => deps.logger.error({ err: error }, "looking after recordings failed"),
    async round() {
      await repairLeft(deps);
      await deps.recordings.tend();
      if (deps.removesOrphans && deps.clock.now() >= orphansAt) {
        await removeOrphans(deps);
        orphansAt = deps.clock.now() + DAY_MS;
      }
      return {};
    },
  });
}

/**
 * Finishes recordings on this machine whose call is over: their process died, and whoever ended the call may have had no
 * access to this machine's disk.
 */
export async function repairLeft(deps: Pick<KeepRecordingsDeps, "database" | "recordings">): Promise<void> {
  for (const call of await callsOf(deps.database, await deps.recordings.unfinished())) {
    if (!call.has_ended) continue;
    const bytes = await deps.recordings.repair(call.key);
    if (bytes === null) continue;
    await deps.database.query({
      ...sql.setBytes,
      values: [call.organization_id, call.call_id, call.key, bytes],
    });
  }
}

/**
 * Removes recordings whose call is gone. Those of organizations that this database doesn't know stay: another service may
 * keep its recordings in the same bucket. So do those of a call of the last seven days.
 */
export async function removeOrphans(deps: Omit<KeepRecordingsDeps, "removesOrphans">): Promise<void> {
  const before = deps.clock.now() - ORPHAN_AGE_MS;
  let removed = 0;
  const look = async (keys: readonly string[]) => {
    for (const call of await callsOf(deps.database, keys)) {
      if (!call.call_is_gone || timeOfId(call.call_id) > before) continue;
      await deps.recordings.remove(call.key);
      removed++;
    }
  };
  for await (const keys of deps.recordings.list()) await look(keys);
  await look(await deps.recordings.unfinished());
  if (removed > 0) deps.logger.warn({ removed }, "removed recordings whose call is gone");
}

async function callsOf(database: Database, keys: readonly string[]): Promise<FoundCall[]> {
  const known = keys.flatMap((key) => {
    const name = readRecordingKey(key);
    return name ? [{ key, ...name }] : [];
  });
  if (known.length === 0) return [];
  return database.query<FoundCall>({
    ...sql.findCalls,
    values: [
      known.map(({ organizationId }) => organizationId),
      known.map(({ callId }) => callId),
      known.map(({ key }) => key),
    ],
  });
}

/** Milliseconds since the epoch, which a UUIDv7 begins with. */
function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}
