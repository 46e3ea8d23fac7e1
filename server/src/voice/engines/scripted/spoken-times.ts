/** A day and a time as somebody names them, in the form that `book_appointment` takes. */
export interface NamedTime {
  /** `today`, `tomorrow` or a weekday. */
  day?: string;
  /** `HH:MM` */
  time?: string;
}

const NUMBERS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
};
const HOUR = `(${Object.keys(NUMBERS).join("|")}|1[0-2]|0?[1-9])`;
const DAY = /\b(today|tonight|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/;
const CLOCK = /\b([01]?\d|2[0-3])[:.]([0-5]\d)\b\s*(am|pm)?/;
const HALF_PAST = new RegExp(`\\bhalf past ${HOUR}\\b`);
const QUARTER = new RegExp(`\\bquarter (past|to) ${HOUR}\\b`);
const WITH_MINUTES = new RegExp(`\\b${HOUR} (fifteen|thirty|forty[- ]five)\\b\\s*(am|pm)?`);
const WITH_SUFFIX = new RegExp(`\\b${HOUR}\\s*(am|pm|o'?clock)\\b`);
const AT_HOUR = new RegExp(`\\bat (?:about |around )?${HOUR}\\b`);
/** By their first five letters. */
const MINUTES: Readonly<Record<string, number>> = { fifte: 15, thirt: 30, forty: 45 };

/**
 * Reads a day and a time of day out of a sentence; what isn't named is left out. An hour without am or pm is taken for
 * one at which people make appointments: 7 to 11 in the morning, 12 to 6 after it.
 */
export function readNamedTime(text: string): NamedTime {
  const said = text
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/\b([ap])\.\s?m\b\.?/g, "$1m");
  const named = DAY.exec(said)?.[1];
  const day = named === "tonight" ? "today" : named;
  const time = readTime(said);
  return { ...(day ? { day } : {}), ...(time ? { time } : {}) };
}

function readTime(said: string): string | undefined {
  const half = halfOf(said);
  const clock = CLOCK.exec(said);
  if (clock) {
    const hour = Number(clock[1]);
    return format(
      hour > 12 || clock[1]?.startsWith("0") ? hour : onDay(hour, clock[3] ?? half),
      Number(clock[2]),
    );
  }
  const halfPast = HALF_PAST.exec(said);
  if (halfPast) return format(onDay(hourOf(halfPast[1]), half), 30);
  const quarter = QUARTER.exec(said);
  if (quarter) {
    const hour = onDay(hourOf(quarter[2]), half);
    return quarter[1] === "past" ? format(hour, 15) : format(hour - 1, 45);
  }
  const minutes = WITH_MINUTES.exec(said);
  if (minutes) {
    return format(onDay(hourOf(minutes[1]), minutes[3] ?? half), MINUTES[minutes[2]?.slice(0, 5) ?? ""] ?? 0);
  }
  const suffix = WITH_SUFFIX.exec(said);
  if (suffix) return format(onDay(hourOf(suffix[1]), /^[ap]m$/.test(suffix[2] ?? "") ? suffix[2] : half), 0);
  if (/\bnoon\b|\bmidday\b/.test(said)) return "12:00";
  const at = AT_HOUR.exec(said);
  return at ? format(onDay(hourOf(at[1]), half), 0) : undefined;
}

/** `am` or `pm`, where another part of the sentence says so. */
function halfOf(said: string): string | undefined {
  if (/\bmorning\b/.test(said)) return "am";
  return /\b(afternoon|evening|tonight)\b/.test(said) ? "pm" : undefined;
}

function hourOf(word: string | undefined): number {
  return NUMBERS[word ?? ""] ?? Number(word);
}

function onDay(hour: number, half: string | undefined): number {
  if (half === "am") return hour % 12;
  if (half === "pm") return (hour % 12) + 12;
  return hour >= 1 && hour <= 6 ? hour + 12 : hour;
}

function format(hour: number, minute: number): string {
  return `${String((hour + 24) % 24).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

const MORE_NUMBERS: Readonly<Record<string, number>> = {
  ...NUMBERS,
  ...{ a: 1, an: 1, "a couple of": 2, fifteen: 15, twenty: 20, thirty: 30 },
  ...{ forty: 40, "forty-five": 45, "forty five": 45, fifty: 50, sixty: 60, ninety: 90 },
};
const AMOUNT = `(\\d{1,3}|${Object.keys(MORE_NUMBERS)
  .sort((one, two) => two.length - one.length)
  .join("|")})`;
const AFTER = new RegExp(
  `\\bin (?:about |around |like |maybe )?(?:(half an hour)|${AMOUNT} (minute|min|hour|hr|day|week)s?( and a half)?)\\b`,
);
const UNIT_MINUTES: Readonly<Record<string, number>> = {
  minute: 1,
  min: 1,
  hour: 60,
  hr: 60,
  day: 1_440,
  week: 10_080,
};

/** Minutes until a time that somebody names from now on: "in twenty minutes", "in an hour and a half". */
export function readDelay(text: string): number | undefined {
  const [, half, amount, unit, andHalf] = AFTER.exec(text.toLowerCase()) ?? [];
  if (half !== undefined) return 30;
  if (amount === undefined || unit === undefined) return undefined;
  const count = (MORE_NUMBERS[amount] ?? Number(amount)) + (andHalf === undefined ? 0 : 0.5);
  const minutes = Math.round(count * (UNIT_MINUTES[unit] ?? 1));
  return minutes > 0 ? minutes : undefined;
}
