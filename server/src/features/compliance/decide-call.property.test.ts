import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOfNumber } from "../../numbering/index.ts";
import { callingRules } from "./calling-rules.ts";
import { createDecideCall } from "./decide-call.ts";
import { holidaysOf } from "./holidays.ts";
import { loadRules } from "./rule-book.ts";
import { question } from "./testing/question.ts";

const MINUTE = 60_000;
const DAY_MS = 86_400_000;
const decide = createDecideCall(loadRules(callingRules));

const CODES = [
  "212",
  "850",
  "448",
  "270",
  "208",
  "541",
  "907",
  "808",
  "602",
  "504",
  "205",
  "601",
  "214",
  "915",
];
const number = fc.oneof(
  fc
    .constantFrom(...CODES, "215", "207", "801", "401", "305", "702", "416", "604", "867", "876")
    .map((code) => `+1${code}5550100`),
  fc.constantFrom(
    "+442079460000",
    "+61255501000",
    "+5215555010000",
    "+33123456789",
    "+97225550100",
    "+56255501000",
  ),
);
const instant = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2031, 0) });
/** Around the days that clocks are moved. */
const atChange = fc
  .constantFrom(
    "2026-03-08",
    "2026-11-01",
    "2026-03-29",
    "2026-10-25",
    "2026-04-05",
    "2026-10-04",
    "2027-12-31",
  )
  .chain((day) => fc.integer({ min: 0, max: 3 * DAY_MS }).map((ms) => Date.parse(day) - DAY_MS + ms));
const hour = fc.integer({ min: 0, max: 23 });
const time = (hours: number) => `${String(hours).padStart(2, "0")}:00`;
const campaign = fc.record({
  automated: fc.boolean(),
  start: fc.option(hour.map(time)),
  end: fc.option(hour.map(time)),
  days: fc.option(fc.subarray(["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const, { minLength: 1 })),
});

const formats = new Map<string, Intl.DateTimeFormat>();
function wallClock(timeZone: string, at: number) {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      ...{ timeZone, hourCycle: "h23", weekday: "short", year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    weekday: parts.weekday!.toLowerCase(),
    clock: `${parts.hour}:${parts.minute}:${parts.second}`,
  };
}

/** The rules read row by row against Intl's own wall clock: another way to the same answer. */
function mayCall(
  to: string,
  at: number,
  own: { automated: boolean; start: string | null; end: string | null; days: readonly string[] | null },
): boolean {
  const { country, states, timezones } = placeOfNumber(to);
  const jurisdictions = new Set(["*", country, ...states.map((state) => `${country}-${state}`)]);
  return timezones.every((zone) => {
    const { date, weekday, clock } = wallClock(zone, at);
    if (own.days !== null && !own.days.includes(weekday)) return false;
    if (clock < (own.start ?? "00:00") || clock >= (own.end ?? "24:00")) return false;
    const holiday = holidaysOf(Number(date.slice(0, 4)), states).has(Date.parse(date) / DAY_MS);
    return callingRules
      .filter((rule) => jurisdictions.has(rule.jurisdiction))
      .filter((rule) => own.automated || rule.channel !== "automated_voice")
      .filter((rule) => rule.effective_from <= date && (rule.effective_to ?? "9999") > date)
      .filter(({ days }) => (days as string[]).includes(weekday) || (holiday && days.includes("holiday")))
      .every(({ start, end }) => start !== null && end !== null && clock >= start && clock < end);
  });
}

describe("a verdict, whatever is asked", () => {
  it("is given for any text and instant", () => {
    fc.assert(
      fc.property(
        fc.oneof(number, fc.string(), fc.stringMatching(/^\+1?\d{0,16}$/)),
        fc.oneof(fc.double(), fc.integer(), instant),
        fc.record({
          timezone: fc.option(fc.string()),
          state: fc.option(fc.string()),
          consented: fc.boolean(),
        }),
        fc.option(fc.string()),
        (text, at, lead, start) => {
          const verdict = decide(question({ number: text, at, lead, campaign: { start } }));
          expect(verdict.allowed).toBe(verdict.reason === null);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("tells what clocks show, on any day", () => {
    const anyInstant = fc.integer({ min: Date.UTC(1992, 0), max: Date.UTC(9989, 0) });
    fc.assert(
      fc.property(anyInstant, fc.constantFrom("212", "907", "808", "416"), (at, code) => {
        const { zones } = decide(question({ number: `+1${code}5550100`, at }));
        expect(zones.length).toBeGreaterThan(0);
        for (const { timezone, local_time } of zones) {
          const options = { timeZone: timezone, dateStyle: "short", timeStyle: "medium" } as const;
          expect(local_time).toBe(new Intl.DateTimeFormat("sv-SE", options).format(at).replace(" ", "T"));
        }
      }),
      {
        numRuns: 500,
        examples: [
          [Date.UTC(2024, 1, 29, 12), "212"],
          [Date.UTC(2100, 1, 28, 12), "212"],
        ],
      },
    );
  });

  it("allows a call exactly when every rule and every clock does", () => {
    const seen = { allowed: 0, refused: 0 };
    fc.assert(
      fc.property(number, fc.oneof(instant, atChange), campaign, (to, at, own) => {
        const { allowed } = decide(question({ number: to, at, campaign: own }));
        seen[allowed ? "allowed" : "refused"]++;
        expect(allowed).toBe(mayCall(to, at, own));
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(60);
  });

  it("names the earliest minute that is allowed", () => {
    let found = 0;
    fc.assert(
      fc.property(number, fc.oneof(instant, atChange), campaign, (to, from, own) => {
        const at = Math.floor(from / MINUTE) * MINUTE;
        const verdict = decide(question({ number: to, at, campaign: own }));
        if (verdict.allowed) return;
        // Every quarter of an hour first, for the speed; hours begin at one of them.
        let first: number | null = null;
        for (let minute = at; minute < at + 9 * DAY_MS; minute += MINUTE) {
          if (minute > at && minute % (15 * MINUTE) !== 0) continue;
          if (mayCall(to, minute, own)) {
            first = minute;
            break;
          }
        }
        if (first !== null) {
          found++;
          expect(verdict.next_allowed_at).toBe(first);
        } else if (verdict.next_allowed_at !== null) {
          expect(verdict.next_allowed_at).toBeGreaterThanOrEqual(at + 9 * DAY_MS);
          expect(mayCall(to, verdict.next_allowed_at, own)).toBe(true);
          expect(mayCall(to, verdict.next_allowed_at - 1, own)).toBe(false);
        }
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(20);
  });
});
