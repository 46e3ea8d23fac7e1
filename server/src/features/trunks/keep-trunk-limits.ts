import type { Clock } from "../../clock.ts";
import { type Database, type Queryable, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import {
  type HeldLine,
  LONGEST_WAIT_MS,
  type TrunkKey,
  type TrunkLimits,
} from "../../voice/carriers/sip/index.ts";
import { startWorker } from "../../workers/worker.ts";
import * as sql from "./trunk-lines.sql.ts";

/** A process that says nothing for so long is taken for dead. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** After a time without the database everybody gets so long to renew. */
const GRACE_MS = 15_000;

/**
 * Counts what of the trunks' limits is in use in the database, so over all processes: exact, whoever asks. Keeps up the leases of what
 * this process holds, and frees what dead ones held.
 */
export function keepTrunkLimits(deps: {
  database: Database;
  clock: Clock;
  newId: NewId;
  logger: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
}): TrunkLimits & { close(): Promise<void> } {
  const { database, clock, logger } = deps;
  const held = new Map<string, TrunkKey>();
  const releasing = new Set<Promise<void>>();
  let sweepsFrom = clock.now() + GRACE_MS;
  const lease = () => timestamp(clock.now() + LEASE_MS);

  const deleteLine = (queryable: Queryable, { organizationId, id }: TrunkKey, lineId: string) =>
    queryable.query({ ...sql.deleteLines, values: [organizationId, id, [lineId]] });

  function hold(trunk: TrunkKey, lineId: string): () => Promise<void> {
    held.set(lineId, trunk);
    let released: Promise<void> | undefined;
    const release = async () => {
      held.delete(lineId);
      try {
        await deleteLine(database, trunk, lineId);
      } catch (error) {
        logger.error({ err: error, trunk_id: trunk.id }, "a trunk's channel comes free with its lease only");
      }
    };
    return () => {
      if (released) return released;
      const done = release().finally(() => releasing.delete(done));
      releasing.add(done);
      released = done;
      return done;
    };
  }

  /** @returns null when turns are given away for too long */
  async function takeTurn(queryable: Queryable, { organizationId, id }: TrunkKey): Promise<number | null> {
    const now = clock.now();
    const latest = now + LONGEST_WAIT_MS;
    const [turn] = await queryable.query<{ turn_at: number }>({
      ...sql.takeTurn,
      values: [organizationId, id, timestamp(now), timestamp(latest), timestamp(latest + LONGEST_WAIT_MS)],
    });
    return turn?.turn_at ?? null;
  }

  async function renew(): Promise<void> {
    const lines = [...held];
    if (lines.length === 0) return;
    await database.query({
      ...sql.renewLines,
      values: [
        lines.map(([, trunk]) => trunk.organizationId),
        lines.map(([, trunk]) => trunk.id),
        lines.map(([lineId]) => lineId),
        lease(),
      ],
    });
    // What was released meanwhile may have been brought back.
    for (const [lineId, trunk] of lines) if (!held.has(lineId)) await deleteLine(database, trunk, lineId);
  }

  const keeper = startWorker({
    clock,
    intervalMs: RENEW_EVERY_MS,
    async round() {
      await renew();
      const now = clock.now();
      if (now < sweepsFrom) return {};
      const abandoned = await database.query({
        ...sql.deleteAbandoned,
        values: [timestamp(now), timestamp(now + 2 * LEASE_MS)],
      });
      if (abandoned.length > 0)
        logger.warn({ lines: abandoned.length }, "channels of trunks that a dead process held are free");
      return {};
    },
    onError(error) {
      sweepsFrom = clock.now() + GRACE_MS;
      logger.error({ err: error }, "keeping the channels of trunks failed");
    },
  });

  return {
    async take(trunk) {
      await Promise.all(releasing);
      if (trunk.channels === null) {
        const turnAt = await takeTurn(database, trunk);
        return turnAt === null ? "late" : { turnAt, release: async () => undefined };
      }
      const lineId = deps.newId();
      const taken = await database.transaction(async (transaction): Promise<number | "full" | "late"> => {
        const key = [trunk.organizationId, trunk.id];
        await transaction.query({ ...sql.lockTrunk, values: key });
        const [line] = await transaction.query({ ...sql.takeLine, values: [...key, lineId, lease()] });
        if (!line) return "full";
        if (trunk.callsPerSecond === null) return clock.now();
        const turnAt = await takeTurn(transaction, trunk);
        if (turnAt === null) await deleteLine(transaction, trunk, lineId);
        return turnAt ?? "late";
      });
      return typeof taken === "string" ? taken : { turnAt: taken, release: hold(trunk, lineId) };
    },
    async occupy(trunk): Promise<HeldLine> {
      const lineId = deps.newId();
      await database.query({
        ...sql.insertLine,
        values: [trunk.organizationId, trunk.id, lineId, lease()],
      });
      return { turnAt: clock.now(), release: hold(trunk, lineId) };
    },
    async free(trunks) {
      await Promise.all(releasing);
      const [counted] = await database.query<{ free: number }>({
        ...sql.countFree,
        values: [trunks.map(({ organizationId }) => organizationId), trunks.map(({ id }) => id)],
      });
      return counted!.free;
    },
    async close() {
      await keeper.stop();
      while (releasing.size > 0) await Promise.all(releasing);
    },
  };
}
