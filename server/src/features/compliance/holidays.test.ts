import { describe, expect, it } from "vitest";
import { holidaysOf as holidays } from "./holidays.ts";

const DAY_MS = 86_400_000;
const holidaysOf = (year: number, states: string[] = []) => {
  const days: string[] = [];
  for (let at = Date.UTC(year, 0); at < Date.UTC(year + 1, 0); at += DAY_MS)
    if (holidays(year, states).has(at / DAY_MS)) days.push(new Date(at).toISOString().slice(5, 10));
  return days.join(" ");
};

describe("holidays", () => {
  // As published by the Office of Personnel Management, with the days themselves where another is observed.
  it.each([
    [2020, "01-01 01-20 02-17 05-25 07-03 07-04 09-07 10-12 11-11 11-26 12-25"],
    [2021, "01-01 01-18 02-15 05-31 06-18 06-19 07-04 07-05 09-06 10-11 11-11 11-25 12-24 12-25 12-31"],
    [2022, "01-01 01-17 02-21 05-30 06-19 06-20 07-04 09-05 10-10 11-11 11-24 12-25 12-26"],
    [2026, "01-01 01-19 02-16 05-25 06-19 07-03 07-04 09-07 10-12 11-11 11-26 12-25"],
    [2027, "01-01 01-18 02-15 05-31 06-18 06-19 07-04 07-05 09-06 10-11 11-11 11-25 12-24 12-25 12-31"],
  ])("of %i are the federal ones", (year, days) => {
    expect(holidaysOf(year)).toBe(days);
  });

  it.each([
    ["LA", ["02-17", "04-03", "11-02", "11-03", "11-27"]],
    ["AL", ["02-17", "04-27", "06-01"]],
    ["PA", ["04-03", "06-15", "11-03", "11-27"]],
    ["RI", ["08-10", "11-03"]],
    ["UT", ["07-24"]],
    ["NY", []],
  ])("of %s are its own too", (state, days) => {
    const federal = holidaysOf(2026).split(" ");
    const own = holidaysOf(2026, [state])
      .split(" ")
      .filter((day) => !federal.includes(day));
    for (const day of days) expect(own).toContain(day);
    if (days.length === 0) expect(own).toEqual([]);
  });
});
