import { randomFillSync, randomInt } from "node:crypto";
import { v7 } from "uuid";
import type { Clock } from "./clock.ts";

/**
 * Makes a UUIDv7 whose time part is the clock's, so that ids sort by creation: also those of one millisecond, and those
 * made after a clock was set back.
 */
export type NewId = () => string;

/** Random bytes are fetched for this many ids at a time: a fetch for each takes ten times as long as the rest of an id. */
const IDS_PER_FETCH = 256;
const RANDOM_BYTES = 16;

export function idsFrom(clock: Clock): NewId {
  const random = new Uint8Array(IDS_PER_FETCH * RANDOM_BYTES);
  let used = random.length;
  let msecs = Number.NEGATIVE_INFINITY;
  let seq = 0;
  return () => {
    const now = clock.now();
    if (now > msecs) {
      msecs = now;
      // The upper half of the 32 bits is left to count in.
      seq = randomInt(2 ** 31);
    } else {
      seq++;
    }
    if (used === random.length) {
      randomFillSync(random);
      used = 0;
    }
    used += RANDOM_BYTES;
    return v7({ msecs, seq, random: random.subarray(used - RANDOM_BYTES, used) });
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID of any version in its canonical text form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
