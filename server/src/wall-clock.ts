const DAY_MS = 86_400_000;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** A clock on a wall of one time zone. What it shows is written as the milliseconds at which a clock of UTC would show it. */
export interface WallClock {
  timezone: string;
  /** What it shows. @param instant milliseconds since the epoch */
  at(instant: number): number;
  /**
   * When it shows this. A time that a change of the clocks leaves out is taken by the offset before it, so it comes out
   * later; one that comes twice is the first.
   */
  instantOf(wall: number): number;
}

/** @param timezone IANA, known to exist */
export function wallClockIn(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const at = (instant: number): number => {
    const parts = format.formatToParts(instant);
    const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
    return Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
  };
  const instantOf = (wall: number): number => {
    const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => {
      const second = Math.floor(near / 1000) * 1000;
      return at(second) - second;
    });
    const exact = offsets.map((offset) => wall - offset).find((instant) => at(instant) === wall);
    return exact ?? wall - offsets[0]!;
  };
  return { timezone, at, instantOf };
}

/** The midnight before what a clock shows. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS;
}

/**
 * The midnight of a day as people name it.
 * @param day `today`, `tomorrow`, a weekday (the next one, never today) or a date `2026-11-22`
 * @param today a midnight
 * @returns null when there is no such day
 */
export function namedDay(day: string, today: number): number | null {
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

/** What a clock shows, in words: `Sunday, November 22 at 10:00 AM`. */
export function spokenTime(wall: number): string {
  const written = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-US", { timeZone: "UTC", ...options }).format(wall);
  const day = written({ weekday: "long", month: "long", day: "numeric" });
  // Releases of ICU differ in the space before AM.
  const time = written({ hour: "numeric", minute: "2-digit" }).replaceAll("\u202f", " ");
  return `${day} at ${time}`;
}
