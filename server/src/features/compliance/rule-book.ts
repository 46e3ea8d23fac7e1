import { knownStates } from "../../numbering/index.ts";

export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
export type Weekday = (typeof WEEKDAYS)[number];
export type Day = Weekday | "holiday";

/** A row of the rule table. On a holiday the rows for `holiday` hold beside those of the weekday. */
export interface CallingRule {
  id: string;
  version: number;
  /** `*` any number, `US`, `CA`, `other` any other country, `US-FL` a state, `CA-ON` a province */
  jurisdiction: string;
  /** `voice` any call, `automated_voice` calls that a machine speaks in */
  channel: "voice" | "automated_voice";
  days: readonly Day[];
  /** `HH:MM` of the called party's clock; null with `end`: no calls */
  start: string | null;
  /** `HH:MM`, the first minute that is out; `24:00` is the end of the day */
  end: string | null;
  /** Attempts to a number in any 24 hours; null: no cap of its own */
  cap: number | null;
  /** `YYYY-MM-DD`, the first day that it holds */
  effective_from: string;
  /** `YYYY-MM-DD`, the first day that it doesn't hold any more; null: no end is known */
  effective_to: string | null;
  citation: string;
  /** A the text of the law, B a secondary source, C one secondary source or our own choice */
  confidence: "A" | "B" | "C";
}

/** Rows that were found to be rules, by jurisdiction. */
export type RuleBook = ReadonlyMap<string, readonly CallingRule[]>;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Minutes since midnight, or null for what is no time of day. @param text `HH:MM` */
export function minuteOf(text: string): number | null {
  return TIME.test(text) ? Number(text.slice(0, 2)) * 60 + Number(text.slice(3)) : null;
}

/** @throws Error that says which row can't be, or which day a jurisdiction says two things or nothing of */
export function loadRules(rows: readonly CallingRule[]): RuleBook {
  const jurisdictions = new Set(["*", "US", "CA", "other", ...knownStates()]);
  const book = new Map<string, CallingRule[]>();
  const versions = new Set<string>();
  for (const row of rows) {
    const version = `${row.id} version ${row.version}`;
    const refuse = (why: string) => new Error(`Calling rules: ${version} ${why}.`);
    if (row.id === "" || !Number.isInteger(row.version) || row.version < 1)
      throw refuse("has no id or version");
    if (versions.has(version)) throw refuse("is there twice");
    versions.add(version);
    if (!jurisdictions.has(row.jurisdiction))
      throw refuse(`has an unknown jurisdiction, ${row.jurisdiction}`);
    const fault = faultOf(row);
    if (fault !== null) throw refuse(fault);
    book.set(row.jurisdiction, [...(book.get(row.jurisdiction) ?? []), row]);
  }
  for (const [jurisdiction, ofJurisdiction] of book) {
    for (const channel of ["voice", "automated_voice"]) {
      refuseOverlapAndGap(
        jurisdiction,
        ofJurisdiction.filter((row) => row.channel === channel),
      );
    }
  }
  return book;
}

function faultOf(row: CallingRule): string | null {
  const { days, start, end, cap, effective_from: from, effective_to: to } = row;
  if (!["voice", "automated_voice"].includes(row.channel)) return `has an unknown channel, ${row.channel}`;
  if (days.length === 0 || new Set(days).size < days.length) return "names no day, or one twice";
  const unknown = days.find((day) => day !== "holiday" && !WEEKDAYS.includes(day));
  if (unknown !== undefined) return `has an unknown day, ${unknown}`;
  if ((start === null) !== (end === null)) return "has half a window";
  if (start !== null && end !== null && !((minuteOf(start) ?? 1440) < (minuteOf(end) ?? 0)))
    return `has no window, ${start}-${end}`;
  if (cap !== null && !(Number.isInteger(cap) && cap > 0)) return `has no cap, ${cap}`;
  if (!isDate(from) || (to !== null && !(isDate(to) && to > from)))
    return `holds at no time, ${from} to ${to}`;
  if (row.citation.trim() === "") return "has no citation";
  if (!["A", "B", "C"].includes(row.confidence)) return `has an unknown confidence, ${row.confidence}`;
  return null;
}

function isDate(text: string): boolean {
  return DATE.test(text) && new Date(`${text}T00:00Z`).toISOString().startsWith(text);
}

/** For every day there is one row at any time, from the first day of the jurisdiction's rules to their last. */
function refuseOverlapAndGap(jurisdiction: string, rows: readonly CallingRule[]): void {
  let whole: { from: string; to: string | null } | undefined;
  for (const day of [...WEEKDAYS, "holiday"] as const) {
    const ofDay = rows
      .filter(({ days }) => days.includes(day))
      .sort((one, two) => (one.effective_from < two.effective_from ? -1 : 1));
    const refuse = (what: string) => new Error(`Calling rules: ${jurisdiction} has ${what} on ${day}.`);
    ofDay.forEach((row, index) => {
      const next = ofDay[index + 1];
      if (next === undefined) return;
      const both = `${row.id} version ${row.version} and ${next.id} version ${next.version}`;
      if (row.effective_to === null || row.effective_to > next.effective_from)
        throw refuse(`an overlap of ${both}`);
      if (row.effective_to < next.effective_from) throw refuse(`a gap between ${both}`);
    });
    // Holidays that no row speaks of are days of the week.
    if (day === "holiday" || rows.length === 0) continue;
    const [first, last] = [ofDay[0], ofDay.at(-1)];
    if (!first || !last) throw refuse("a gap: no rule");
    whole ??= { from: first.effective_from, to: last.effective_to };
    if (whole.from !== first.effective_from || whole.to !== last.effective_to)
      throw refuse(`a gap: it isn't ruled for as long as ${WEEKDAYS[0]}`);
  }
}
