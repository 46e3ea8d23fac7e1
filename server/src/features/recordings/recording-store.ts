import type { Readable } from "node:stream";
import type { RecordingSink } from "../../voice/session/ports.ts";

/**
 * Where recordings are kept. A key is `<organization>/<yyyy-mm>/<call>.wav`. A recording is there once it is finished, or
 * repaired after its process died, and never changes after that.
 */
export interface RecordingStore {
  /** Begins a recording. @throws when it can't be stored; or when the key was begun before */
  create(key: string): Promise<RecordingSink>;
  /**
   * Finishes what a process that died has left of a recording. Doesn't throw: whoever recovers a call has more to do than
   * this, and what fails is left for `unfinished`.
   * @returns its size in bytes, also when it was finished before; null when nothing of it is here, or it can't be reached
   */
  repair(key: string): Promise<number | null>;
  /** @returns its size in bytes, or null when it isn't there */
  size(key: string): Promise<number | null>;
  /** @param range first and last byte, within the size @returns null when it isn't there */
  read(key: string, range: { first: number; last: number }): Promise<Readable | null>;
  /** Removes a recording, and what there is of one that wasn't finished. Fine when there is none. */
  remove(key: string): Promise<void>;
  /** The keys of all finished recordings, some at a time. */
  list(): AsyncIterable<string[]>;
  /** The keys of recordings that were begun on this machine and aren't finished: running, or left by a process that died. */
  unfinished(): Promise<string[]>;
  /** Tries again what failed before, such as an upload. Does nothing most of the time. */
  tend(): Promise<void>;
  /** Waits for what is running, within limits: what isn't done by then is done after the next start. */
  close(): Promise<void>;
}
