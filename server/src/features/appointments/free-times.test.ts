import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wallClockIn } from "../../wall-clock.ts";
import type { AppointmentHours } from "../organizations/index.ts";
import { type Calendar, freeTimesNear, whyNotFree } from "./free-times.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = Date.parse;
const workdays = Object.fromEntries(
  ["mon", "tue", "wed", "thu", "fri"].map((day) => [day, ["09:00-17:00"]]),
) as AppointmentHours;
const calendar = (given: Partial<Calendar> & { zone?: string } = {}): Calendar => ({
  now: at("2026-03-05T15:00:00Z"),
  hours: {},
  organizationClock: wallClockIn(given.zone ?? "America/New_York"),
  personClock: wallClockIn(given.zone ?? "America/New_York"),
  taken: [],
  ...given,
});
const near = (given: Calendar, start: string, minutes = 30) =>
  freeTimesNear(given, { start: at(start), durationMs: minutes * MINUTE }).map((time) =>
    new Date(time).toISOString(),
  );

describe("free times", () => {
  it("are the nearest, in order, around what is taken", () => {
    const start = at("2026-03-06T15:00:00Z");
    const taken = [{ start, end: start + 30 * MINUTE }];
    expect(near(calendar({ taken }), "2026-03-06T15:00:00Z")).toEqual([
      "2026-03-06T14:00:00.000Z",
      "2026-03-06T14:30:00.000Z",
      "2026-03-06T15:30:00.000Z",
    ]);
    expect(near(calendar({ taken }), "2026-03-06T15:00:00Z", 60)).toEqual([
      "2026-03-06T14:00:00.000Z",
      "2026-03-06T15:30:00.000Z",
      "2026-03-06T16:00:00.000Z",
    ]);
  });

  it("of a time at the weekend are the next ones that the hours allow", () => {
    expect(near(calendar({ hours: workdays }), "2026-03-07T15:00:00Z")).toEqual([
      "2026-03-06T20:30:00.000Z",
      "2026-03-06T21:00:00.000Z",
      "2026-03-06T21:30:00.000Z",
    ]);
    // After the change of the clocks nine o'clock is an hour earlier.
    expect(near(calendar({ hours: workdays }), "2026-03-09T10:00:00Z")).toEqual([
      "2026-03-09T13:00:00.000Z",
      "2026-03-09T13:30:00.000Z",
      "2026-03-09T14:00:00.000Z",
    ]);
  });

  it("of a time that is past begin half an hour from now", () => {
    expect(near(calendar(), "2026-03-01T15:00:00Z")[0]).toBe("2026-03-05T15:30:00.000Z");
  });

  it("are at a decent hour where the person is", () => {
    const honolulu = calendar({ hours: workdays, personClock: wallClockIn("Pacific/Honolulu") });
    expect(near(honolulu, "2026-03-06T14:00:00Z")).toEqual([
      // The day before at 11:00 and 11:30, and 8:00: New York closes at noon there.
      "2026-03-06T18:00:00.000Z",
      "2026-03-06T18:30:00.000Z",
      "2026-03-06T19:00:00.000Z",
    ]);
    const kolkata = calendar({ hours: { mon: ["12:00-13:00"] }, personClock: wallClockIn("Asia/Kolkata") });
    expect(near(kolkata, "2026-03-06T15:00:00Z")).toEqual([]);
  });

  it("are free, at decent half hours, and no other is nearer: anywhere, over changes of the clocks", () => {
    const zone = fc.constantFrom(
      ...["America/New_York", "America/Phoenix", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe"],
      ...["America/St_Johns", "Pacific/Apia", "UTC"],
    );
    const range = fc
      .tuple(fc.integer({ min: 0, max: 46 }), fc.integer({ min: 1, max: 47 }))
      .map(([from, length]) => [from, Math.min(48, from + length)] as const)
      .map(([from, to]) => `${halfHour(from)}-${halfHour(to)}`);
    const hours = fc.dictionary(
      fc.constantFrom("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
      range.map((one) => [one]),
      { maxKeys: 7 },
    ) as fc.Arbitrary<AppointmentHours>;
    // The weeks in which clocks are moved, somewhere.
    const change = fc.constantFrom(
      "2026-03-08T00:00Z",
      "2026-03-29T00:00Z",
      "2026-04-05T00:00Z",
      "2026-11-01T00:00Z",
    );
    const around = fc.integer({ min: -4 * 48, max: 4 * 48 }).map((halves) => halves * 30 * MINUTE);
    const property = fc.property(
      fc.record({
        zones: fc.tuple(zone, zone),
        hours,
        change,
        ahead: fc.integer({ min: -2 * 1_440, max: 3 * 1_440 }),
        taken: fc.array(around, { maxLength: 6 }),
        minutes: fc.constantFrom(5, 30, 45, 240),
      }),
      ({ zones: [organization, person], hours, change, ahead, taken, minutes }) => {
        const now = at(change) - 12 * HOUR;
        const wanted = now + ahead * MINUTE;
        const durationMs = minutes * MINUTE;
        const given = calendar({
          now,
          hours,
          organizationClock: wallClockIn(organization),
          personClock: wallClockIn(person),
          taken: taken.map((offset) => ({ start: now + offset, end: now + offset + HOUR })),
        });
        const found = freeTimesNear(given, { start: wanted, durationMs });
        expect(found.length).toBeLessThanOrEqual(3);
        const [from, to] = Object.keys(hours).length === 0 ? [9, 17] : [8, 21];
        const isFree = (start: number) => {
          const wall = shown(start, person);
          const minute = wall.hour * 60 + wall.minute;
          return (
            start >= now + 30 * MINUTE &&
            minute % 30 === 0 &&
            minute >= from * 60 &&
            minute + minutes <= to * 60 &&
            given.taken.every((one) => one.end <= start || one.start >= start + durationMs) &&
            isOpen(hours, organization, start, start + durationMs)
          );
        };
        for (const start of found) expect(isFree(start), new Date(start).toISOString()).toBe(true);
        // Looked for by another way: every quarter of an hour of two days.
        const middle = Math.max(wanted, now + 30 * MINUTE);
        const away = (start: number) => Math.abs(start - middle);
        const furthest = Math.max(0, ...found.map(away));
        const first = Math.ceil((middle - 24 * HOUR) / (15 * MINUTE)) * 15 * MINUTE;
        for (let start = first; start < middle + 24 * HOUR; start += 15 * MINUTE) {
          if (found.includes(start) || (found.length === 3 && away(start) >= furthest)) continue;
          expect(isFree(start), `${new Date(start).toISOString()} was not offered`).toBe(false);
        }
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it("can't be booked when they are past, closed or taken, and each says so", () => {
    const start = at("2026-03-06T15:00:00Z");
    const time = { start, end: start + 30 * MINUTE };
    expect(whyNotFree(calendar(), time)).toBeNull();
    expect(whyNotFree(calendar({ now: start }), time)).toMatch(/past/);
    expect(whyNotFree(calendar({ hours: { mon: ["09:00-17:00"] } }), time)).toMatch(/outside the hours/);
    expect(whyNotFree(calendar({ taken: [{ start: start - 1, end: start + 1 }] }), time)).toMatch(/another/);
    expect(whyNotFree(calendar({ taken: [{ start: start - 1, end: start }] }), time)).toBeNull();
  });
});

function halfHour(count: number): string {
  return `${String(Math.floor(count / 2)).padStart(2, "0")}:${count % 2 ? "30" : "00"}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function shown(instant: number, zone: string): { day: string; hour: number; minute: number } {
  let format = formats.get(zone);
  if (!format) {
    const options = { weekday: "short", hour: "numeric", minute: "numeric", hourCycle: "h23" } as const;
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options });
    formats.set(zone, format);
  }
  const [, day, hour, minute] = /^(\w{3}),? (\d+):(\d+)$/.exec(format.format(instant))!;
  return { day: day!.toLowerCase(), hour: Number(hour), minute: Number(minute) };
}

/** Minute by minute, in steps of five. */
function isOpen(hours: AppointmentHours, zone: string, start: number, end: number): boolean {
  if (Object.keys(hours).length === 0) return true;
  for (let instant = start; instant < end; instant += 5 * MINUTE) {
    const { day, hour, minute } = shown(instant, zone);
    const clock = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
    const ranges = hours[day as "mon"] ?? [];
    if (!ranges.some((range) => range.slice(0, 5) <= clock && clock < range.slice(6))) return false;
  }
  return true;
}
