import { v7 } from "uuid";
import type { Clock } from "./clock.ts";

/** Makes a UUIDv7 whose time part is the clock's, so that ids sort by creation. */
export type NewId = () => string;

export function idsFrom(clock: Clock): NewId {
  return () => v7({ msecs: clock.now() });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID of any version in its canonical text form. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}
