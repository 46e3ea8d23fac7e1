import { describe, expect, it } from "vitest";
import { wallClockIn } from "../../wall-clock.ts";
import { callbackTime } from "./callback-time.ts";

const at = (text: string, now = "2026-03-05T15:00:00Z", zone = "America/New_York") => {
  const instant = callbackTime(text, Date.parse(now), wallClockIn(zone));
  return instant === null ? null : new Date(instant).toISOString();
};

describe("when somebody wants to be called again", () => {
  it.each([
    ["PT20M", "2026-03-05T15:20:00.000Z"],
    ["PT2H", "2026-03-05T17:00:00.000Z"],
    ["PT1H30M", "2026-03-05T16:30:00.000Z"],
    ["tomorrow 15:00", "2026-03-06T20:00:00.000Z"],
    ["Friday 09:30", "2026-03-06T14:30:00.000Z"],
    // The clocks have gone forward by then.
    ["2026-03-09T15:00", "2026-03-09T19:00:00.000Z"],
    ["2026-03-09 15:00:00", "2026-03-09T19:00:00.000Z"],
    ["2026-03-09T15:00Z", "2026-03-09T15:00:00.000Z"],
    ["2026-03-09T15:00:00-08:00", "2026-03-09T23:00:00.000Z"],
    ["15:00", "2026-03-05T20:00:00.000Z"],
    ["09:00", "2026-03-06T14:00:00.000Z"],
  ])("%s", (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    ...["", "later", "PT", "PT20", "P1D", "tomorrow", "someday 15:00", "tomorrow 25:00", "2026-02-30T15:00"],
    ...["2026-02-30T15:00Z", "2026-03-09", "20 minutes", "-PT20M", "constructor 10:00"],
  ])("nothing in %j", (text) => {
    expect(at(text)).toBeNull();
  });
});
