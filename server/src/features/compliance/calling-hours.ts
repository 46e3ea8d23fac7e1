import { holidaysOf, weekdayOf } from "./holidays.ts";
import { type CallingRule, minuteOf, WEEKDAYS } from "./rule-book.ts";
import type { ZoneClock } from "./zone-clocks.ts";

const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;
/** Every constellation of weekday, holidays and clock changes that there is has come once by then. */
const SEARCHED_DAYS = 400;
const MOST_DAYS = 1_000;

/** What narrows hours beside the law: it is cited as a rule is. */
export type HoursRule = Pick<
  CallingRule,
  "id" | "version" | "citation" | "days" | "start" | "end" | "effective_from" | "effective_to"
>;

/** The hours of one day, in minutes since midnight, half-open; none when `close` isn't after `open`. */
interface DayHours {
  open: number;
  close: number;
  opensBy: HoursRule;
  closesBy: HoursRule;
  /** The narrowest of the day's rules. */
  narrowest: HoursRule;
}

/** When people of these zones may be called. */
export interface CallingHours {
  /** Whether all zones' clocks are within the hours, and the rule that says so. */
  at(instant: number): { open: boolean; rule: HoursRule };
  /** The first instant from this one on at which all zones are within their hours; null when there is none in 400 days. */
  nextOpening(from: number): number | null;
}

/**
 * @param rules those that hold for the number, the federal one first; at least one
 * @param states whose holidays count
 */
export function callingHours(
  zones: readonly ZoneClock[],
  states: readonly string[],
  rules: readonly HoursRule[],
): CallingHours {
  const days = new Map<number, DayHours>();
  const years = new Map<number, ReadonlySet<number>>();
  const holidaysIn = (year: number) => {
    const holidays = years.get(year) ?? holidaysOf(year, states);
    years.set(year, holidays);
    return holidays;
  };
  let lastDay = Number.NaN;
  let lastHours: DayHours | undefined;
  const hoursOn = (day: number): DayHours => {
    if (day === lastDay) return lastHours!;
    lastHours = findHours(day);
    lastDay = day;
    return lastHours;
  };
  const findHours = (day: number): DayHours => {
    let hours = days.get(day);
    if (hours === undefined) {
      if (days.size >= MOST_DAYS) days.clear();
      const date = new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
      hours = narrow(rulesOn(rules, date, weekdayOf(day), holidaysIn(Number(date.slice(0, 4))).has(day)));
      days.set(day, hours);
    }
    return hours;
  };

  /** The first instant from this one on at which the clocks of one zone are within the hours. */
  const openingIn = (zone: ZoneClock, from: number): number | null => {
    const local = from + zone.offset(from);
    const today = Math.floor(local / MS_PER_DAY);
    for (let day = today; day <= today + SEARCHED_DAYS; day++) {
      const { open, close } = hoursOn(day);
      if (open >= close) continue;
      const opens = day * MS_PER_DAY + open * MS_PER_MINUTE;
      if (local >= day * MS_PER_DAY + close * MS_PER_MINUTE) continue;
      if (local >= opens) return from;
      // Clocks may be moved between now and then.
      const guess = opens - zone.offset(opens - (local - from));
      return Math.max(opens - zone.offset(guess), from + 1);
    }
    return null;
  };

  // Within these nothing opens: leads of one place share the answer.
  let searchedFrom = 0;
  let searchedTo = 0;
  let found: number | null = null;

  return {
    at(instant) {
      let narrowest: HoursRule | undefined;
      for (const zone of zones) {
        const local = instant + zone.offset(instant);
        const day = Math.floor(local / MS_PER_DAY);
        const hours = hoursOn(day);
        const msOfDay = local - day * MS_PER_DAY;
        if (msOfDay < hours.open * MS_PER_MINUTE) return { open: false, rule: hours.opensBy };
        if (msOfDay >= hours.close * MS_PER_MINUTE) return { open: false, rule: hours.closesBy };
        narrowest ??= hours.narrowest;
      }
      return { open: true, rule: narrowest! };
    },
    nextOpening(from) {
      if (from >= searchedFrom && from < searchedTo) return found;
      const last = from + SEARCHED_DAYS * MS_PER_DAY;
      let instant: number | null = from;
      while (instant !== null && instant <= last) {
        let latest: number | null = instant;
        for (const zone of zones) {
          const opening = openingIn(zone, instant);
          latest = opening === null || latest === null ? null : Math.max(latest, opening);
        }
        if (latest === instant) break;
        instant = latest;
      }
      found = instant !== null && instant <= last ? instant : null;
      searchedFrom = from;
      searchedTo = found ?? from + MS_PER_DAY;
      return found;
    },
  };
}

/** Whether a rule is in force on a day. @param date `YYYY-MM-DD` */
export function holdsOn(rule: Pick<CallingRule, "effective_from" | "effective_to">, date: string): boolean {
  return rule.effective_from <= date && (rule.effective_to === null || date < rule.effective_to);
}

function rulesOn(
  rules: readonly HoursRule[],
  date: string,
  weekdayIndex: number,
  holiday: boolean,
): HoursRule[] {
  const weekday = WEEKDAYS[weekdayIndex]!;
  return rules.filter(
    (rule) =>
      holdsOn(rule, date) &&
      // A row for the weekday holds on holidays too: one for holidays only ever narrows it.
      (rule.days.includes(weekday) || (holiday && rule.days.includes("holiday"))),
  );
}

function narrow(rules: readonly HoursRule[]): DayHours {
  const hours: Partial<DayHours> & { open: number; close: number } = { open: 0, close: 24 * 60 };
  let shortest = Number.POSITIVE_INFINITY;
  for (const rule of rules) {
    const open = rule.start === null ? null : minuteOf(rule.start);
    const close = rule.end === null ? null : minuteOf(rule.end);
    // No calls, or no time of day: the whole day is before the opening.
    const [from, to] = open === null || close === null ? [24 * 60, 24 * 60] : [open, close];
    if (hours.opensBy === undefined || from > hours.open) Object.assign(hours, { open: from, opensBy: rule });
    if (hours.closesBy === undefined || to < hours.close) Object.assign(hours, { close: to, closesBy: rule });
    if (to - from < shortest) {
      shortest = to - from;
      hours.narrowest = rule;
    }
  }
  return hours as DayHours;
}
