import { describe, expect, it } from "vitest";
import { wallClockIn } from "../../wall-clock.ts";
import { type AppointmentHours, isWithinHours, readHours } from "./appointment-hours.ts";

const at = Date.parse;
const workdays = Object.fromEntries(
  ["mon", "tue", "wed", "thu", "fri"].map((day) => [day, ["09:00-17:00"]]),
) as AppointmentHours;

describe("hours for appointments", () => {
  const within = (hours: AppointmentHours, start: string, end: string, zone = "America/New_York") =>
    isWithinHours(hours, wallClockIn(zone), { start: at(start), end: at(end) });

  it("hold what lies in one range, by the organization's clock", () => {
    expect(within(workdays, "2026-03-05T14:00:00Z", "2026-03-05T14:30:00Z")).toBe(true);
    expect(within(workdays, "2026-03-05T13:59:00Z", "2026-03-05T14:30:00Z")).toBe(false);
    expect(within(workdays, "2026-03-05T21:30:00Z", "2026-03-05T22:00:00Z")).toBe(true);
    expect(within(workdays, "2026-03-05T21:31:00Z", "2026-03-05T22:01:00Z")).toBe(false);
    // Saturday, and the Monday after the clocks went forward.
    expect(within(workdays, "2026-03-07T15:00:00Z", "2026-03-07T15:30:00Z")).toBe(false);
    expect(within(workdays, "2026-03-09T13:00:00Z", "2026-03-09T13:30:00Z")).toBe(true);
  });

  it("without any day hold every time", () => {
    expect(within({}, "2026-03-08T06:45:00Z", "2026-03-08T07:15:00Z")).toBe(true);
    expect(within({ mon: [] }, "2026-03-08T06:45:00Z", "2026-03-08T07:15:00Z")).toBe(true);
  });

  it("that touch are one, across midnight and a day of 23 hours too", () => {
    const open: AppointmentHours = { sat: ["20:00-24:00"], sun: ["00:00-01:00", "01:00-12:00"] };
    expect(within(open, "2026-03-08T04:45:00Z", "2026-03-08T05:15:00Z")).toBe(true);
    expect(within(open, "2026-03-08T05:45:00Z", "2026-03-08T06:15:00Z")).toBe(true);
    expect(within(open, "2026-03-08T15:45:00Z", "2026-03-08T16:00:00Z")).toBe(true);
    expect(within(open, "2026-03-08T15:45:00Z", "2026-03-08T16:01:00Z")).toBe(false);
  });

  it("are kept in the order of days, and refused out of order", () => {
    expect(readHours({ tue: ["09:00-10:00"], mon: [], sun: ["10:00-24:00"] })).toEqual({
      sun: ["10:00-24:00"],
      tue: ["09:00-10:00"],
    });
    for (const ranges of [
      ["09:00-09:00"],
      ["10:00-09:00"],
      ["09:00-12:00", "11:00-13:00"],
      ["13:00-14:00", "09:00-10:00"],
    ])
      expect(() => readHours({ mon: ranges })).toThrow(/appointment_hours\.mon/);
  });
});
