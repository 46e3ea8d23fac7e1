import { type Static, Type } from "typebox";
import { DomainError } from "../../domain-error.ts";
import { dayOf, type WallClock } from "../../wall-clock.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const Ranges = Type.Optional(
  Type.Array(
    Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]-(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" }),
    {
      maxItems: 10,
      description: "`09:00-12:00`, in order, without overlaps",
    },
  ),
);

/** When an organization's appointments may be, by its own clock. Without any day: whenever. */
export const AppointmentHours = Type.Object(
  { mon: Ranges, tue: Ranges, wed: Ranges, thu: Ranges, fri: Ranges, sat: Ranges, sun: Ranges },
  {
    additionalProperties: false,
    "x-name": "AppointmentHours",
    description:
      "By the organization's clock. Agents book within these only; people and the API book whenever. Without any day: whenever",
  },
);
export type AppointmentHours = Static<typeof AppointmentHours>;

/** The same hours with the days in their order. @throws DomainError invalid_request for ranges out of order, or that overlap */
export function readHours(sent: AppointmentHours): AppointmentHours {
  const hours: AppointmentHours = {};
  for (const day of DAYS) {
    const ranges = sent[day];
    if (ranges === undefined || ranges.length === 0) continue;
    let last = 0;
    for (const range of ranges) {
      const [from, to] = minutesOf(range);
      if (from < last || to <= from)
        throw new DomainError(
          "invalid_request",
          `appointment_hours.${day} must be in order, without overlaps: ${range}.`,
        );
      last = to;
    }
    hours[day] = ranges;
  }
  return hours;
}

/** No day is named: nothing restricts the time. */
export function isAnyTime(hours: AppointmentHours): boolean {
  return DAYS.every((day) => (hours[day] ?? []).length === 0);
}

/**
 * Whether all of a time lies within the hours. Ranges that touch are one, also across midnight.
 * @param clock the organization's
 */
export function isWithinHours(
  hours: AppointmentHours,
  clock: WallClock,
  time: { start: number; end: number },
): boolean {
  if (isAnyTime(hours)) return true;
  let covered = time.start;
  while (covered < time.end) {
    const next = coveredUntil(hours, clock, covered);
    if (next === null) return false;
    covered = next;
  }
  return true;
}

/** The end of the range that an instant lies in. */
function coveredUntil(hours: AppointmentHours, clock: WallClock, instant: number): number | null {
  const midnight = dayOf(clock.at(instant));
  for (const range of hours[DAYS[new Date(midnight).getUTCDay()]!] ?? []) {
    const [from, to] = minutesOf(range).map((minutes) => startOf(clock, midnight, minutes)) as [
      number,
      number,
    ];
    if (from <= instant && instant < to) return to;
  }
  return null;
}

/** When so many minutes of a day are shown; 24:00 is the next day's midnight. */
function startOf(clock: WallClock, midnight: number, minutes: number): number {
  return clock.instantOf(minutes === 1_440 ? midnight + DAY_MS : midnight + minutes * MINUTE_MS);
}

function minutesOf(range: string): [number, number] {
  return range.split("-").map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) as [
    number,
    number,
  ];
}
