/** Since 1970 clocks have been moved at a quarter of an hour, UTC. */
const BLOCK_MS = 900_000;
/** No clock is moved and moved back within these, so that equal offsets at both ends hold in between. */
const SPAN_MS = 4 * 86_400_000;
const MOST_KEPT = 4_096;

interface ZoneClock {
  format: Intl.DateTimeFormat;
  /** Milliseconds east of UTC at the instant, which is the key. */
  offsets: Map<number, number>;
  /** By span; null where the clocks are moved in it. */
  spans: Map<number, number | null>;
}

/** The clocks of time zones. */
export interface ZoneClocks {
  /** Whether there is such a zone. */
  has(timezone: string): boolean;
  /** Milliseconds that the zone's clocks are ahead of UTC. @param timezone one that there is @param at from 1970 on */
  offset(timezone: string, at: number): number;
}

/** Asks Intl twice for four days, and once for a quarter of an hour in which clocks may be moved: it takes 5 µs to answer. */
export function createZoneClocks(): ZoneClocks {
  const clocks = new Map<string, ZoneClock>();
  const clockOf = (timezone: string) => {
    let clock = clocks.get(timezone);
    if (clock) return clock;
    const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
    clock = { format, offsets: new Map(), spans: new Map() };
    clocks.set(timezone, clock);
    return clock;
  };
  return {
    has(timezone) {
      try {
        return clockOf(timezone) !== undefined;
      } catch {
        return false;
      }
    },
    offset(timezone, at) {
      const clock = clockOf(timezone);
      const span = Math.floor(at / SPAN_MS);
      let offset = clock.spans.get(span);
      if (offset === undefined) {
        const [atStart, atEnd] = [offsetAt(clock, span * SPAN_MS), offsetAt(clock, (span + 1) * SPAN_MS)];
        offset = atStart === atEnd ? atStart : null;
        if (clock.spans.size >= MOST_KEPT) clock.spans.clear();
        clock.spans.set(span, offset);
      }
      return offset ?? offsetAt(clock, Math.floor(at / BLOCK_MS) * BLOCK_MS);
    },
  };
}

function offsetAt(clock: ZoneClock, instant: number): number {
  let offset = clock.offsets.get(instant);
  if (offset === undefined) {
    offset = offsetIn(clock.format.format(instant));
    if (clock.offsets.size >= MOST_KEPT) clock.offsets.clear();
    clock.offsets.set(instant, offset);
  }
  return offset;
}

/** @param text that ends in `GMT`, `GMT-05:00` or the like */
function offsetIn(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -size : size;
}
