import { randomInt } from "node:crypto";
import { v7 } from "uuid";
import type { Clock } from "./clock.ts";

/**
 * Makes a UUIDv7 whose time part is the clock's, so that ids sort by creation: also those of one millisecond, and those
 * made after a clock was set back.
 */
export type NewId = () => string;

export function idsFrom(clock: Clock): NewId {
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
    return v7({ msecs, seq });
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID of any version in its canonical text form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
