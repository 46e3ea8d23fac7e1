import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsFrom } from "../../ids.ts";
import { decodeG711 } from "../../voice/media/g711.ts";
import { recordingKey } from "./recording-key.ts";
import type { RecordingStore } from "./recording-store.ts";
import { WAV_HEADER_BYTES } from "./wav-header.ts";

export interface StoreUnderTest {
  /** Another of the same, as a process that starts later opens it. */
  open(): RecordingStore;
  /** Where running recordings are written. */
  directory: string;
  close(): Promise<void>;
}

const FRAMES_A_SECOND = 50;
const frame = (value: number) => new Int16Array(160).fill(value);
const newId = idsFrom({ now: () => Date.UTC(2026, 10, 21), schedule: () => () => {} });

/** What every store of recordings does. */
export function recordingStoreContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`${name}, as every store of recordings`, () => {
    let under: StoreUnderTest;
    let store: RecordingStore;
    beforeAll(async () => {
      under = await start();
      store = under.open();
    });
    afterAll(async () => {
      await store.close();
      await under.close();
    });

    const newKey = () => recordingKey({ organizationId: newId(), callId: newId() }, Date.UTC(2026, 10, 21));
    /** Seconds of a level for each side, which grows from frame to frame. */
    const record = async (key: string, seconds: number) => {
      const sink = await store.create(key);
      for (let at = 0; at < seconds * FRAMES_A_SECOND; at++) sink.write(frame(at * 8), frame(-at * 8));
      return sink;
    };
    /** Resolves once so many seconds of a running recording have reached its file, with the file's size. */
    const written = async (key: string, seconds: number) => {
      const bytes = WAV_HEADER_BYTES + seconds * 16_000;
      for (const end = performance.now() + 5000; performance.now() < end; ) {
        const { size } = await stat(join(under.directory, `${key}.part`));
        if (size >= bytes) return bytes;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error("The recording wasn't written.");
    };
    const bytesOf = async (from: RecordingStore, key: string, first: number, last: number) => {
      const stream = await from.read(key, { first, last });
      return stream && buffer(stream);
    };
    const keysOf = async (from: RecordingStore) => {
      const keys: string[] = [];
      for await (const some of from.list()) keys.push(...some);
      return keys;
    };

    it("keeps what is written, agent left and the other right, with the right lengths in its header", async () => {
      const key = newKey();
      const bytes = await (await record(key, 3.5)).finish();
      expect(bytes).toBe(WAV_HEADER_BYTES + 3.5 * 16_000);
      expect(await store.size(key)).toBe(bytes);
      const wav = (await bytesOf(store, key, 0, bytes! - 1))!;
      expect(wav).toHaveLength(bytes!);
      expect(wav.readUInt32LE(4)).toBe(bytes! - 8);
      expect(wav.readUInt32LE(46)).toBe(3.5 * 8000);
      expect(wav.readUInt32LE(54)).toBe(3.5 * 16_000);
      const audio = wav.subarray(WAV_HEADER_BYTES);
      for (const at of [0, 1, 99, 174]) {
        const [left, right] = decodeG711("pcmu", audio.subarray(at * 320, at * 320 + 2));
        // µ-law is off by at most a thirty-second of the level.
        expect(Math.abs(left! - at * 8)).toBeLessThanOrEqual(2 + at / 4);
        expect(Math.abs(right! + at * 8)).toBeLessThanOrEqual(2 + at / 4);
      }
    });

    it("answers any part of it", async () => {
      const key = newKey();
      const bytes = (await (await record(key, 1)).finish())!;
      const whole = (await bytesOf(store, key, 0, bytes - 1))!;
      for (const [first, last] of [
        [0, 0],
        [0, 3],
        [57, 58],
        [bytes - 1, bytes - 1],
        [100, bytes - 1],
      ] as const)
        expect(await bytesOf(store, key, first, last)).toEqual(whole.subarray(first, last + 1));
    });

    it("says nothing of a recording before it is finished", async () => {
      const key = newKey();
      const sink = await record(key, 1.2);
      expect(await store.size(key)).toBeNull();
      expect(await store.read(key, { first: 0, last: 1 })).toBeNull();
      expect(await store.unfinished()).toContain(key);
      expect(await keysOf(store)).not.toContain(key);
      await sink.finish();
      expect(await store.unfinished()).not.toContain(key);
      expect(await keysOf(store)).toContain(key);
    });

    it("keeps nothing of a recording without a sound", async () => {
      const key = newKey();
      expect(await (await store.create(key)).finish()).toBeNull();
      expect(await store.size(key)).toBeNull();
      expect(await store.unfinished()).not.toContain(key);
      expect(await store.repair(key)).toBeNull();
    });

    it("repairs what a process that died has left, up to its last second", async () => {
      const key = newKey();
      const sink = await record(key, 2.9);
      // The process is gone, without a word, and in the middle of a write: half a sample more.
      const bytes = await written(key, 2);
      const file = await open(join(under.directory, `${key}.part`), "a");
      await file.write(Buffer.from([1]));
      await file.close();

      const later = under.open();
      expect(await later.unfinished()).toContain(key);
      expect(await later.repair(key)).toBe(bytes);
      expect(await later.repair(key)).toBe(bytes);
      expect(await later.size(key)).toBe(bytes);
      const wav = (await bytesOf(later, key, 0, bytes - 1))!;
      expect([wav.readUInt32LE(4), wav.readUInt32LE(54)]).toEqual([bytes - 8, 2 * 16_000]);
      expect(wav).toHaveLength(bytes);
      expect(await later.unfinished()).not.toContain(key);
      await later.close();
      await sink.finish();
    });

    it("is repaired by two at once", async () => {
      const key = newKey();
      const sink = await record(key, 2);
      await written(key, 2);
      const later = under.open();
      const repaired = await Promise.all([store.repair(key), later.repair(key), store.repair(key)]);
      expect(repaired).toEqual([32_058, 32_058, 32_058]);
      expect(await store.size(key)).toBe(32_058);
      await later.close();
      await sink.finish();
    });

    it("lets a process that was taken for dead finish what was repaired meanwhile", async () => {
      const key = newKey();
      const sink = await record(key, 2);
      await written(key, 2);
      await store.repair(key);
      expect([32_058, null]).toContain(await sink.finish());
      expect(await store.size(key)).toBe(32_058);
    });

    it("removes recordings, finished or not, and nothing that isn't there", async () => {
      const [finished, running] = [newKey(), newKey()];
      await (await record(finished, 1)).finish();
      const sink = await record(running, 1);
      for (const key of [finished, running, newKey()]) await store.remove(key);
      expect(await store.size(finished)).toBeNull();
      expect(await store.read(finished, { first: 0, last: 0 })).toBeNull();
      expect(await keysOf(store)).not.toContain(finished);
      expect(await store.unfinished()).not.toContain(running);
      expect(await sink.finish()).toBeNull();
    });

    it("lists each recording that is there", async () => {
      const keys = [newKey(), newKey(), newKey()];
      for (const key of keys) await (await record(key, 0.02)).finish();
      expect(await keysOf(store)).toEqual(expect.arrayContaining(keys));
    });

    it("begins no recording twice, and nothing that has another name", async () => {
      const key = newKey();
      const sink = await record(key, 0.1);
      await expect(store.create(key)).rejects.toThrow();
      await sink.finish();
      for (const wrong of ["../../../etc/passwd", `${key}/../x.wav`, "a.wav", ""])
        await expect(store.create(wrong)).rejects.toThrow("no key");
    });

    it("leaves files that only the service's user can read", async () => {
      const key = newKey();
      const sink = await record(key, 1);
      const parts = key.split("/");
      for (const [depth, mode] of [
        [1, 0o700],
        [2, 0o700],
      ] as const) {
        const directory = await open(join(under.directory, ...parts.slice(0, depth)));
        expect((await directory.stat()).mode & 0o777).toBe(mode);
        await directory.close();
      }
      const [name] = await readdir(join(under.directory, ...parts.slice(0, 2)));
      const file = await open(join(under.directory, ...parts.slice(0, 2), name!));
      expect((await file.stat()).mode & 0o777).toBe(0o600);
      await file.close();
      await sink.finish();
    });
  });
}
