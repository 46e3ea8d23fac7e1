import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../database/database.ts";
import { idsFrom } from "../../ids.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { insertTestCall } from "../../testing/test-call.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { createOrganization } from "../organizations/index.ts";
import { fileRecordingStore } from "./file-store.ts";
import { removeOrphans, repairLeft, startRecordingKeeper } from "./keep-recordings.ts";
import { recordingKey } from "./recording-key.ts";
import type { RecordingStore } from "./recording-store.ts";

const DAY = 86_400_000;

describe("looking after recordings", () => {
  const clock = manualClock();
  let testDatabase: TestDatabase;
  let database: Database;
  let directory: string;
  let recordings: RecordingStore;
  let organizationId: string;
  const logged: unknown[] = [];
  const logger = {
    error: (...line: unknown[]) => logged.push(line),
    warn: (...line: unknown[]) => logged.push(line),
  };
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 4 });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "outreach-keep-"));
    recordings = fileRecordingStore({ directory, onError() {} });
    logged.length = 0;
    const made = await createOrganization(
      { database, clock, newId: idsFrom(clock) },
      { actor: "test", name: "Test" },
    );
    organizationId = made.id;
    return () => rm(directory, { recursive: true });
  });

  async function record({ of = organizationId, callId = "", finish = true, ended = true } = {}) {
    callId ||= await insertTestCall({ database, clock }, { organizationId: of, ended });
    const key = recordingKey({ organizationId: of, callId }, clock.now());
    await database.query({
      text: "UPDATE calls SET recording_key = $3 WHERE organization_id = $1 AND id = $2",
      values: [of, callId, key],
    });
    const sink = await recordings.create(key);
    for (let at = 0; at < 50; at++) sink.write(new Int16Array(160), new Int16Array(160));
    if (finish) await sink.finish();
    return { key, callId, sink };
  }
  const bytesOf = async (callId: string) => {
    const [call] = await database.query<{ recording_bytes: number | null }>({
      text: "SELECT recording_bytes FROM calls WHERE organization_id = $1 AND id = $2",
      values: [organizationId, callId],
    });
    return call!.recording_bytes;
  };

  it("finishes what a dead process left of an ended call, and leaves a running call's alone", async () => {
    const dead = await record({ finish: false });
    const running = await record({ finish: false, ended: false });
    for (const end = performance.now() + 5000; performance.now() < end; ) {
      await repairLeft({ database, recordings });
      if ((await recordings.size(dead.key)) !== null) break;
    }
    expect(await recordings.size(dead.key)).toBe(16_058);
    expect(await bytesOf(dead.callId)).toBe(16_058);
    expect(await recordings.unfinished()).toEqual([running.key]);
    expect(await running.sink.finish()).toBe(16_058);
    await dead.sink.finish();
  });

  it("removes a recording whose call has been gone for a week, and no other", async () => {
    const gone = idsFrom(clock)();
    const orphan = await record({ callId: gone });
    const kept = await record();
    const stranger = await record({ of: idsFrom(clock)(), callId: idsFrom(clock)() });
    const deps = { database, clock, recordings, logger };
    await removeOrphans(deps);
    expect(await recordings.size(orphan.key)).not.toBeNull();

    clock.advance(7 * DAY + 1);
    const young = await record({ callId: idsFrom(clock)() });
    await removeOrphans(deps);
    expect(await recordings.size(orphan.key)).toBeNull();
    for (const { key } of [kept, stranger, young]) expect(await recordings.size(key)).not.toBeNull();
    expect(logged).toEqual([[{ removed: 1 }, expect.stringContaining("whose call is gone")]]);
  });

  it("goes on every minute, tries uploads again, and looks for orphans once a day", async () => {
    const tended: number[] = [];
    const listed: number[] = [];
    const watched: RecordingStore = {
      ...recordings,
      tend: async () => void tended.push(clock.now()),
      list() {
        listed.push(clock.now());
        return recordings.list();
      },
    };
    const start = clock.now();
    const keeper = startRecordingKeeper({
      database,
      clock,
      recordings: watched,
      logger,
      removesOrphans: true,
    });
    const until = async (condition: () => boolean) => {
      for (const end = performance.now() + 5000; !condition() && performance.now() < end; )
        await new Promise((resolve) => setImmediate(resolve));
      expect(condition()).toBe(true);
    };
    await until(() => listed.length === 1 && clock.pending() > 0);
    clock.advance(60_000);
    await until(() => tended.length === 2 && clock.pending() > 0);
    clock.advance(DAY);
    await until(() => listed.length === 2);
    await keeper.stop();
    expect(tended[1]).toBe(start + 60_000);
    expect(logged).toEqual([]);
  });
});
