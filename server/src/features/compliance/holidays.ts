/** Days are counted since 1970-01-01; a day has no time zone. */
const MS_PER_DAY = 86_400_000;

type Holiday = (year: number) => number | null;

const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / MS_PER_DAY;
/** 0 is Sunday. */
export const weekdayOf = (days: number) => (((days + 4) % 7) + 7) % 7;

const fixed =
  (month: number, date: number, since = 0): Holiday =>
  (year) =>
    year < since ? null : day(year, month, date);

/** The nth weekday of a month. */
const nth =
  (n: number, weekday: number, month: number): Holiday =>
  (year) => {
    const first = day(year, month, 1);
    return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (n - 1);
  };

const lastMonday =
  (month: number): Holiday =>
  (year) => {
    const last = day(year, month + 1, 1) - 1;
    return last - ((weekdayOf(last) + 6) % 7);
  };

const fromEaster =
  (days: number): Holiday =>
  (year) =>
    easterOf(year) + days;

const afterThanksgiving: Holiday = (year) => nth(4, 4, 11)(year)! + 1;
const electionDay: Holiday = (year) => nth(1, 1, 11)(year)! + 1;
const evenYears =
  (holiday: Holiday): Holiday =>
  (year) =>
    year % 2 === 0 ? holiday(year) : null;

/** 5 U.S.C. 6103(a) */
const FEDERAL: readonly Holiday[] = [
  fixed(1, 1),
  nth(3, 1, 1),
  nth(3, 1, 2),
  lastMonday(5),
  fixed(6, 19, 2021),
  fixed(7, 4),
  nth(1, 1, 9),
  nth(2, 1, 10),
  fixed(11, 11),
  nth(4, 4, 11),
  fixed(12, 25),
];

/** Beside the federal ones, of the states whose rules speak of holidays. What some years or counties keep counts as kept. */
const OF_STATES: Readonly<Record<string, readonly Holiday[]>> = {
  // Mardi Gras, Confederate Memorial Day, Jefferson Davis' Birthday
  AL: [fromEaster(-47), nth(4, 1, 4), nth(1, 1, 6)],
  // Mardi Gras, Good Friday, All Saints' Day, election day, Acadian Day
  LA: [fromEaster(-47), fromEaster(-2), fixed(11, 1), evenYears(electionDay), afterThanksgiving],
  // Good Friday, Flag Day, election day, the day after Thanksgiving
  PA: [fromEaster(-2), fixed(6, 14), electionDay, afterThanksgiving],
  // Victory Day, election day
  RI: [nth(2, 1, 8), evenYears(electionDay)],
  // Pioneer Day
  UT: [fixed(7, 24)],
};

/**
 * The federal holidays of a year, and these states' own. A holiday at a weekend is kept on that day and on the weekday it is
 * observed: Friday for Saturday, Monday for Sunday.
 * @param states two letters each
 * @returns days since 1970-01-01, some of which may be of the years beside
 */
export function holidaysOf(year: number, states: readonly string[]): ReadonlySet<number> {
  const days = new Set<number>();
  for (const holiday of [...FEDERAL, ...states.flatMap((state) => OF_STATES[state] ?? [])]) {
    // New Year's Day of the next year may be observed on December 31.
    for (const kept of [holiday(year), holiday(year + 1)]) {
      if (kept === null) continue;
      days.add(kept);
      const weekday = weekdayOf(kept);
      if (weekday === 6) days.add(kept - 1);
      if (weekday === 0) days.add(kept + 1);
    }
  }
  return days;
}

/** Easter Sunday of the Gregorian calendar, by the anonymous algorithm of 1876 (Meeus, Astronomical Algorithms, ch. 8). */
function easterOf(year: number): number {
  const a = year % 19;
  const century = Math.floor(year / 100);
  const c = year % 100;
  const f = Math.floor((century + 8) / 25);
  const g = Math.floor((century - f + 1) / 3);
  const h = (19 * a + century - Math.floor(century / 4) - g + 15) % 30;
  const l = (32 + 2 * (century % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return day(year, Math.floor(n / 31), (n % 31) + 1);
}
