const DATE = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?`;
const OFFSET = String.raw`[Zz]|([+-])(\d{2})(?::?(\d{2}))?`;
/** A space between date and time is RFC 3339's reading of ISO 8601, and what databases and spreadsheets write. */
const ISO_DATE_TIME = new RegExp(`^${DATE}(?:[Tt ]${TIME}(?:${OFFSET})?)?$`);
const US_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00.000Z");
const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads an ISO 8601 calendar date (midnight UTC) or date-time in extended form; without an offset it is UTC. Digits
 * past the milliseconds are cut off. Null for anything else, for days that the calendar doesn't have, and for
 * instants outside the years 0001 to 9999 UTC.
 */
export function parseIsoDateTime(value: string): Date | null {
  const match = ISO_DATE_TIME.exec(value);
  if (match === null) return null;
  const [, year, month, day, hours, minutes, seconds, fraction, sign, offsetHours, offsetMinutes] = match;
  const midnight = utcMidnight(Number(year), Number(month), Number(day));
  if (midnight === null) return null;
  const time = timeOfDay(Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0), fraction ?? "");
  const offset = offsetOf(sign, Number(offsetHours ?? 0), Number(offsetMinutes ?? 0));
  return time === null || offset === null ? null : instant(midnight + time - offset);
}

/** Reads what a CSV import accepts: everything {@link parseIsoDateTime} does, and `MM/DD/YYYY` (midnight UTC). */
export function parseImportDate(value: string): Date | null {
  const match = US_DATE.exec(value);
  if (match === null) return parseIsoDateTime(value);
  const midnight = utcMidnight(Number(match[3]), Number(match[1]), Number(match[2]));
  return midnight === null ? null : instant(midnight);
}

function utcMidnight(year: number, month: number, day: number): number | null {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const inCalendar = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return year >= 1 && inCalendar ? date.getTime() : null;
}

function timeOfDay(hours: number, minutes: number, seconds: number, fraction: string): number | null {
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  // ISO 8601 writes the end of a day as 24:00:00, and nothing after it.
  if (hours === 24) return minutes + seconds === 0 && /^0*$/.test(fraction) ? DAY_MS : null;
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return (hours * 60 + minutes) * MINUTE_MS + seconds * 1000 + milliseconds;
}

function offsetOf(sign: string | undefined, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null;
  return (hours * 60 + minutes) * MINUTE_MS * (sign === "-" ? -1 : 1);
}

function instant(milliseconds: number): Date | null {
  return milliseconds < EARLIEST_MS || milliseconds > LATEST_MS ? null : new Date(milliseconds);
}
