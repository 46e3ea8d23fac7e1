import type { BookAppointmentArguments } from "../../voice/engines/tool-definitions.ts";

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MS = 86_400_000;

/**
 * The instant that a person means by a day and a time on their own clock.
 * @param now milliseconds since the epoch
 * @param timezone IANA
 * @returns milliseconds since the epoch; null when there is no such day
 */
export function appointmentTime(
  { day, time }: Pick<BookAppointmentArguments, "day" | "time">,
  now: number,
  timezone: string,
): number | null {
  const today = dateIn(now, timezone);
  const date = dateOf(day, today);
  if (date === null) return null;
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  return instantOf(date + hours * 3_600_000 + minutes * 60_000, timezone);
}

/** A date as the milliseconds of its midnight, were it UTC. */
function dateOf(day: string, today: number): number | null {
  if (day === "today") return today;
  if (day === "tomorrow") return today + DAY_MS;
  const weekday = WEEKDAYS.indexOf(day);
  if (weekday !== -1) {
    const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
    return today + (ahead === 0 ? 7 : ahead) * DAY_MS;
  }
  const date = Date.parse(`${day}T00:00:00Z`);
  // `2026-02-30` would be taken for March.
  return !Number.isNaN(date) && new Date(date).toISOString().startsWith(day) ? date : null;
}

/** The calendar date at an instant. */
function dateIn(instant: number, timezone: string): number {
  return Math.floor(wallClock(instant, timezone) / DAY_MS) * DAY_MS;
}

/** What a clock on the wall shows, as if it were UTC. */
function wallClock(instant: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/**
 * When the wall's clock shows this. A time that a change of the clocks leaves out is taken by the offset before it, so it
 * comes out later; one that comes twice is the first.
 */
function instantOf(wall: number, timezone: string): number {
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => {
    const second = Math.floor(near / 1000) * 1000;
    return wallClock(second, timezone) - second;
  });
  const exact = offsets
    .map((offset) => wall - offset)
    .find((instant) => wallClock(instant, timezone) === wall);
  return exact ?? wall - offsets[0]!;
}
