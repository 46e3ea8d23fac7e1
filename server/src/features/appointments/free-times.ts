import { dayOf, type WallClock } from "../../wall-clock.ts";
import { type AppointmentHours, isAnyTime, isWithinHours } from "../organizations/index.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const GRID_MS = HOUR_MS / 2;
/** Nobody can be told of a time and be there at once. */
const NOTICE_MS = HOUR_MS / 2;
/** Of the person's own clock: what is offered to them. They may name other times themselves. */
const OFFERED = { withHours: [8, 21], withoutHours: [9, 17] } as const;
const SEARCHED_DAYS = 14;

/** What decides whether a time can be booked. */
export interface Calendar {
  /** Milliseconds since the epoch. */
  now: number;
  hours: AppointmentHours;
  organizationClock: WallClock;
  personClock: WallClock;
  /** The lead's scheduled appointments. */
  taken: readonly { start: number; end: number }[];
}

/** Why a time can't be booked, in a sentence; null when it can. */
export function whyNotFree(calendar: Calendar, time: { start: number; end: number }): string | null {
  if (time.start <= calendar.now) return "That time is in the past.";
  if (!isWithinHours(calendar.hours, calendar.organizationClock, time))
    return "That time is outside the hours for appointments.";
  if (calendar.taken.some(({ start, end }) => start < time.end && end > time.start))
    return "They have another appointment at that time.";
  return null;
}

/**
 * The free times nearest to a wanted one, in order of time: at full and half hours of the person's clock, at an hour at which
 * people meet, within 14 days.
 * @returns up to three beginnings, milliseconds since the epoch
 */
export function freeTimesNear(
  calendar: Calendar,
  wanted: { start: number; durationMs: number },
  most = 3,
): number[] {
  const { personClock, now } = calendar;
  const earliest = now + NOTICE_MS;
  const middle = Math.max(wanted.start, earliest);
  const today = dayOf(personClock.at(middle));
  const [from, to] = isAnyTime(calendar.hours) ? OFFERED.withoutHours : OFFERED.withHours;
  const found: number[] = [];
  let isEnough = false;
  for (let distance = 0; distance <= SEARCHED_DAYS && !isEnough; distance++) {
    // Counted before this day's: at 23:00 the morning after the next day is nearer than the one before.
    isEnough = found.length >= most;
    for (const day of distance === 0 ? [today] : [today + distance * DAY_MS, today - distance * DAY_MS]) {
      const lastWall = day + to * HOUR_MS - wanted.durationMs;
      for (let wall = day + from * HOUR_MS; wall <= lastWall; wall += GRID_MS) {
        const start = personClock.instantOf(wall);
        if (start < earliest || personClock.at(start) !== wall) continue;
        if (whyNotFree(calendar, { start, end: start + wanted.durationMs }) === null) found.push(start);
      }
    }
  }
  const away = (start: number) => Math.abs(start - middle);
  return found
    .sort((one, two) => away(one) - away(two) || one - two)
    .slice(0, most)
    .sort((one, two) => one - two);
}
