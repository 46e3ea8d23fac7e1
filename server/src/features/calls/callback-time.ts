import { dayOf, namedDay, type WallClock } from "../../wall-clock.ts";

const DURATION = /^PT(?=\d)(?:(\d{1,3})H)?(?:(\d{1,5})M)?$/i;
const DAY_AND_TIME = /^([a-z]+|\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?$/i;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const INSTANT = /^\d{4}-\d\d-\d\d[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i;

/**
 * When somebody wants to be called again: after a while (`PT20M`, `PT2H`), at a time on their own clock (`15:00`,
 * `tomorrow 15:00`, `friday 09:30`, `2026-11-22T15:00`), or at an instant (`2026-11-22T15:00-05:00`).
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; null for what names no time
 */
export function callbackTime(text: string, now: number, clock: WallClock): number | null {
  const written = text.trim();
  const duration = DURATION.exec(written);
  if (duration) return now + (Number(duration[1] ?? 0) * 60 + Number(duration[2] ?? 0)) * 60_000;
  if (INSTANT.test(written)) {
    const date = namedDay(written.slice(0, 10), 0);
    const instant = Date.parse(written.replace(" ", "T"));
    return date === null || Number.isNaN(instant) ? null : instant;
  }
  const today = dayOf(clock.at(now));
  const timeOf = (date: number, hour: string, minute: string) =>
    clock.instantOf(date + Number(hour) * 3_600_000 + Number(minute) * 60_000);
  const time = TIME.exec(written);
  if (time) {
    const soonest = timeOf(today, time[1]!, time[2]!);
    return soonest > now ? soonest : timeOf(today + 86_400_000, time[1]!, time[2]!);
  }
  const [, day, hour, minute] = DAY_AND_TIME.exec(written) ?? [];
  if (day === undefined) return null;
  const date = namedDay(day.toLowerCase(), today);
  return date === null ? null : timeOf(date, hour!, minute!);
}
