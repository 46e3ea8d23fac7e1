import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordingsS3Config } from "../../voice-config.ts";
import { fileRecordingStore } from "./file-store.ts";
import type { RecordingStore } from "./recording-store.ts";
import { s3Bucket } from "./s3-bucket.ts";

export interface S3StoreOptions {
  settings: RecordingsS3Config;
  /** Where recordings are until they are uploaded. */
  directory: string;
  /** Told, with the key, of what goes wrong while a call runs and after it. */
  onError(error: unknown, key: string): void;
  /** What `close` waits for uploads; default 10 s. */
  closeWithinMs?: number;
  /** What one request uploads at most, in bytes. */
  partBytes?: number;
}

const UPLOADS_AT_ONCE = 2;

/**
 * Recordings in an S3-compatible bucket. A running call writes a file, as it does without a bucket: a crash keeps what
 * was said, and a store that is away disturbs no call. The finished file is uploaded and then removed; what can't be
 * uploaded stays and is read from here until `tend` has uploaded it.
 */
export function s3RecordingStore(options: S3StoreOptions): RecordingStore {
  const { directory, onError } = options;
  const stop = new AbortController();
  const bucket = s3Bucket(options.settings, stop.signal, options.partBytes);
  const files = fileRecordingStore({ directory, onError });
  const running = new Map<string, Promise<void>>();
  const turns: (() => void)[] = [];

  const upload = async (key: string) => {
    const path = join(directory, key);
    const size = await files.size(key);
    if (size === null) return;
    const file = await open(path);
    try {
      await bucket.put(key, file, size, "audio/wav");
    } finally {
      await file.close();
    }
    await rm(path, { force: true });
  };
  /** Never rejects. One upload of a key at a time, and few at once. */
  const uploadSoon = (key: string): Promise<void> => {
    const before = running.get(key);
    if (before) return before;
    const mustWait = running.size >= UPLOADS_AT_ONCE;
    const done = (async () => {
      if (mustWait) await new Promise<void>((resolve) => turns.push(resolve));
      try {
        if (!stop.signal.aborted) await upload(key);
      } catch (error) {
        onError(error, key);
      } finally {
        running.delete(key);
        turns.shift()?.();
      }
    })();
    running.set(key, done);
    return done;
  };

  return {
    async create(key) {
      const sink = await files.create(key);
      return {
        write: sink.write,
        async finish() {
          const bytes = await sink.finish();
          if (bytes !== null) void uploadSoon(key);
          return bytes;
        },
      };
    },
    async repair(key) {
      const bytes = await files.repair(key);
      if (bytes !== null) {
        void uploadSoon(key);
        return bytes;
      }
      return bucket.size(key).catch((error: unknown) => {
        onError(error, key);
        return null;
      });
    },
    size: async (key) => (await files.size(key)) ?? bucket.size(key),
    read: async (key, range) => (await files.read(key, range)) ?? bucket.get(key, range),
    async remove(key) {
      await running.get(key);
      await files.remove(key);
      await bucket.remove(key);
    },
    async *list() {
      yield* files.list();
      yield* bucket.list();
    },
    unfinished: () => files.unfinished(),
    async tend() {
      for await (const keys of files.list()) await Promise.all(keys.map(uploadSoon));
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, options.closeWithinMs ?? 10_000);
      });
      await Promise.race([limit, Promise.all(running.values())]);
      clearTimeout(timer);
      stop.abort(new Error("the service stops"));
      await Promise.all(running.values());
    },
  };
}
