import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRecordingKey } from "./recording-key.ts";
import type { RecordingStore } from "./recording-store.ts";
import { WAV_HEADER_BYTES, wavHeader, wholeDataBytes } from "./wav-header.ts";
import { createWavWriter } from "./wav-writer.ts";

/** While a recording isn't finished its file has this at its end: no other name tells what may be read or uploaded. */
const PART = ".part";
const KEYS_AT_A_TIME = 500;

/**
 * Recordings as files `<directory>/<organization>/<yyyy-mm>/<call>.wav`, which nobody but the service's user may read.
 * @param options `onError`: told, with the key, of what goes wrong while a call runs
 */
export function fileRecordingStore({
  directory,
  onError,
}: {
  directory: string;
  onError(error: unknown, key: string): void;
}): RecordingStore {
  const pathOf = (key: string) => {
    if (!readRecordingKey(key)) throw new Error("This is no key of a recording.");
    return join(directory, key);
  };
  const sizeOf = async (path: string) => {
    const found = await stat(path).catch(nullWhenMissing);
    return found?.size ?? null;
  };
  /** @returns the size of what stands there in the end: another may have been faster */
  const putInPlace = async (path: string) => {
    await rename(path + PART, path).catch(nullWhenMissing);
    return sizeOf(path);
  };

  return {
    async create(key) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path + PART, "wx", 0o600);
      const writer = createWavWriter({ file, onError: (error) => onError(error, key) });
      return {
        write: writer.write,
        async finish() {
          const bytes = await writer.finish();
          try {
            if (bytes !== null) return await putInPlace(path);
            await rm(path + PART, { force: true });
          } catch (error) {
            onError(error, key);
          }
          return null;
        },
      };
    },
    async repair(key) {
      const path = pathOf(key);
      try {
        const file = await open(path + PART, "r+").catch(nullWhenMissing);
        if (!file) return await sizeOf(path);
        if (await repairHeader(file)) return await putInPlace(path);
        await rm(path + PART, { force: true });
      } catch (error) {
        onError(error, key);
      }
      return null;
    },
    size: async (key) => sizeOf(pathOf(key)),
    async read(key, { first, last }) {
      const file = await open(pathOf(key)).catch(nullWhenMissing);
      return file?.createReadStream({ start: first, end: last }) ?? null;
    },
    async remove(key) {
      const path = pathOf(key);
      await Promise.all([rm(path, { force: true }), rm(path + PART, { force: true })]);
    },
    async *list() {
      let keys: string[] = [];
      for await (const key of filesIn(directory, "")) {
        keys.push(key);
        if (keys.length < KEYS_AT_A_TIME) continue;
        yield keys;
        keys = [];
      }
      if (keys.length > 0) yield keys;
    },
    async unfinished() {
      const keys: string[] = [];
      for await (const key of filesIn(directory, PART)) keys.push(key);
      return keys;
    },
    async tend() {},
    async close() {},
  };
}

/** Gives a file the lengths that it has, and closes it. @returns false when there is nothing in it to hear */
async function repairHeader(file: FileHandle): Promise<boolean> {
  try {
    const { size } = await file.stat();
    const dataBytes = wholeDataBytes(size);
    if (dataBytes === 0) return false;
    if (size > WAV_HEADER_BYTES + dataBytes) await file.truncate(WAV_HEADER_BYTES + dataBytes);
    await file.write(wavHeader(dataBytes), 0, WAV_HEADER_BYTES, 0);
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
}

/** The keys of the files that end so. Three levels, each read as a whole: a month of an organization at most. */
async function* filesIn(directory: string, ending: string): AsyncGenerator<string> {
  const namesIn = async (path: string) => (await readdir(path).catch(nullWhenMissing)) ?? [];
  for (const organization of await namesIn(directory)) {
    for (const month of await namesIn(join(directory, organization))) {
      for (const name of await namesIn(join(directory, organization, month))) {
        if (!name.endsWith(ending)) continue;
        const key = `${organization}/${month}/${name.slice(0, name.length - ending.length)}`;
        if (readRecordingKey(key)) yield key;
      }
    }
  }
}

function nullWhenMissing(error: unknown): null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return null;
  throw error;
}
