import { describe, expect, it } from "vitest";
import { wallClockIn } from "../../wall-clock.ts";
import { appointmentTime } from "./appointment-time.ts";

const at = (day: string, time: string, now: string, zone: string) => {
  const instant = appointmentTime({ day, time }, Date.parse(now), wallClockIn(zone));
  return instant === null ? null : new Date(instant).toISOString();
};

describe("the time of an appointment", () => {
  it.each([
    ["tomorrow", "10:00", "2026-01-05T12:00:00Z", "America/New_York", "2026-01-06T15:00:00.000Z"],
    // Still the day before on the west coast.
    ["tomorrow", "10:00", "2026-01-06T05:00:00Z", "America/Los_Angeles", "2026-01-06T18:00:00.000Z"],
    ["today", "23:30", "2026-07-01T12:00:00Z", "Asia/Kolkata", "2026-07-01T18:00:00.000Z"],
    ["monday", "09:00", "2026-01-05T12:00:00Z", "UTC", "2026-01-12T09:00:00.000Z"],
    ["tuesday", "09:00", "2026-01-05T12:00:00Z", "UTC", "2026-01-06T09:00:00.000Z"],
    ["2026-12-24", "18:15", "2026-01-05T12:00:00Z", "Europe/Berlin", "2026-12-24T17:15:00.000Z"],
    // The clocks go forward at 2:00, back at 2:00.
    ["2026-03-08", "02:30", "2026-03-01T12:00:00Z", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["2026-03-08", "10:00", "2026-03-07T12:00:00Z", "America/New_York", "2026-03-08T14:00:00.000Z"],
    ["2026-11-01", "01:30", "2026-10-31T12:00:00Z", "America/New_York", "2026-11-01T05:30:00.000Z"],
    ["2026-11-01", "10:00", "2026-10-31T12:00:00Z", "America/New_York", "2026-11-01T15:00:00.000Z"],
    ["2026-02-30", "10:00", "2026-01-05T12:00:00Z", "UTC", null],
  ])("%s at %s, said at %s in %s", (day, time, now, zone, expected) => {
    expect(at(day, time, now, zone)).toBe(expected);
  });
});
