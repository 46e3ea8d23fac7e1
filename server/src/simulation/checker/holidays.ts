import type { WallTime } from "./wall-clock.ts";

/** Whether a date is the nth of its weekday in its month. */
const isNth = ({ day }: WallTime, n: number) => Math.ceil(day / 7) === n;
const MONDAY = 1;
const THURSDAY = 4;

/** Of the day itself: the day that it is observed on, where that is another one, comes from the days beside it. */
function isFederal(date: WallTime): boolean {
  const { month, day, weekday } = date;
  const on = (ofMonth: number, ofDay: number) => month === ofMonth && day === ofDay;
  if (on(1, 1) || on(6, 19) || on(7, 4) || on(11, 11) || on(12, 25)) return true;
  if (weekday === THURSDAY) return month === 11 && isNth(date, 4);
  if (weekday !== MONDAY) return false;
  // King, Washington, memorial, labor, Columbus
  if (month === 1 || month === 2) return isNth(date, 3);
  if (month === 5) return day > 24;
  return (month === 9 && isNth(date, 1)) || (month === 10 && isNth(date, 2));
}

/** Easter Sundays as month × 100 + day, from 2025 on, as almanacs print them. */
const EASTER_FROM_2025 = [420, 405, 328, 416, 401, 421, 413, 328, 417, 409];

function daysFromEaster({ year, month, day }: WallTime): number | null {
  const easter = EASTER_FROM_2025[year - 2025];
  if (easter === undefined) return null;
  const at = Date.UTC(year, Math.floor(easter / 100) - 1, easter % 100);
  return Math.round((Date.UTC(year, month - 1, day) - at) / 86_400_000);
}

function isOfState(date: WallTime, state: string): boolean {
  const { month, day, weekday } = date;
  const fromEaster = daysFromEaster(date);
  const isDayAfterThanksgiving = month === 11 && weekday === 5 && day >= 23 && day <= 29;
  switch (state) {
    case "AL":
      return (
        fromEaster === -47 ||
        (weekday === MONDAY && ((month === 4 && isNth(date, 4)) || (month === 6 && isNth(date, 1))))
      );
    case "LA":
      return fromEaster === -47 || fromEaster === -2 || (month === 11 && day === 1) || isDayAfterThanksgiving;
    case "PA":
      return fromEaster === -2 || (month === 6 && day === 14) || isDayAfterThanksgiving;
    case "RI":
      return month === 8 && weekday === MONDAY && isNth(date, 2);
    case "UT":
      return month === 7 && day === 24;
    default:
      return false;
  }
}

/** Whether a date is a holiday, or the day that one is observed on: Friday for Saturday, Monday for Sunday. */
export function isHoliday(date: WallTime, states: readonly string[]): boolean {
  const isKept = (day: WallTime) => isFederal(day) || states.some((state) => isOfState(day, state));
  if (isKept(date)) return true;
  if (date.weekday === 5) return isKept(beside(date, 1));
  return date.weekday === MONDAY && isKept(beside(date, -1));
}

function beside({ year, month, day }: WallTime, days: number): WallTime {
  const other = new Date(Date.UTC(year, month - 1, day + days));
  return {
    year: other.getUTCFullYear(),
    month: other.getUTCMonth() + 1,
    day: other.getUTCDate(),
    weekday: other.getUTCDay(),
    minute: 0,
  };
}
