/** Since 1970 clocks have been moved at a quarter of an hour, UTC. */
const BLOCK_MS = 900_000;
/** No clock is moved and moved back within these, so that equal offsets at both ends hold in between. */
const SPAN_MS = 4 * 86_400_000;
const MOST_KEPT = 4_096;

/** The clock of one time zone. */
export interface ZoneClock {
  readonly timezone: string;
  /** Milliseconds that it is ahead of UTC. @param at from 1970 on */
  offset(at: number): number;
}

/** The clocks of time zones. */
export interface ZoneClocks {
  /** Whether there is such a zone. */
  has(timezone: string): boolean;
  /** @throws RangeError for a zone that there isn't */
  clock(timezone: string): ZoneClock;
}

/** Asks Intl twice for four days, and once for a quarter of an hour in which clocks may be moved: it takes 5 µs to answer. */
export function createZoneClocks(): ZoneClocks {
  const clocks = new Map<string, ZoneClock>();
  const clock = (timezone: string) => {
    let found = clocks.get(timezone);
    if (found === undefined) {
      found = openClock(timezone);
      clocks.set(timezone, found);
    }
    return found;
  };
  return {
    clock,
    has(timezone) {
      try {
        return clock(timezone) !== undefined;
      } catch {
        return false;
      }
    },
  };
}

function openClock(timezone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  /** Milliseconds east of UTC at the instant, which is the key. */
  const offsets = new Map<number, number>();
  /** By span; null where the clocks are moved in it. */
  const spans = new Map<number, number | null>();
  let lastSpan = Number.NaN;
  let lastOffset: number | null = null;

  const offsetAt = (instant: number): number => {
    let offset = offsets.get(instant);
    if (offset === undefined) {
      offset = offsetIn(format.format(instant));
      if (offsets.size >= MOST_KEPT) offsets.clear();
      offsets.set(instant, offset);
    }
    return offset;
  };
  const offsetOver = (span: number): number | null => {
    let offset = spans.get(span);
    if (offset === undefined) {
      const [atStart, atEnd] = [offsetAt(span * SPAN_MS), offsetAt((span + 1) * SPAN_MS)];
      offset = atStart === atEnd ? atStart : null;
      if (spans.size >= MOST_KEPT) spans.clear();
      spans.set(span, offset);
    }
    return offset;
  };
  return {
    timezone,
    offset(at) {
      const span = Math.floor(at / SPAN_MS);
      if (span !== lastSpan) {
        lastOffset = offsetOver(span);
        lastSpan = span;
      }
      return lastOffset ?? offsetAt(Math.floor(at / BLOCK_MS) * BLOCK_MS);
    },
  };
}

/** @param text that ends in `GMT`, `GMT-05:00` or the like */
function offsetIn(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -size : size;
}
