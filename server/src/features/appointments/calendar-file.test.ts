import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Appointment } from "./appointments.schema.ts";
import { calendarFile } from "./calendar-file.ts";

const appointment: Appointment = {
  id: "0198f0a9-7182-7394-a5b6-c7d8e9f00112",
  status: "scheduled",
  lead_id: null,
  campaign_id: null,
  call_id: null,
  appointment_datetime: "2026-03-07T15:00:00.000Z",
  duration_minutes: 45,
  timezone: "America/New_York",
  source: "app",
  notes: null,
  cancel_reason: null,
  cancelled_at: null,
  created_at: "2026-03-04T17:20:31.412Z",
  updated_at: "2026-03-04T17:20:31.412Z",
};
const acme = { organization: "Acme", person: "Ada Lovelace" };

describe("a calendar file", () => {
  it("is what RFC 5545 asks for", () => {
    expect(calendarFile(appointment, acme).split("\r\n")).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Outreach//Appointments//EN",
      "CALSCALE:GREGORIAN",
      "METHOD:PUBLISH",
      "BEGIN:VEVENT",
      "UID:0198f0a9-7182-7394-a5b6-c7d8e9f00112@outreach",
      "DTSTAMP:20260304T172031Z",
      "CREATED:20260304T172031Z",
      "LAST-MODIFIED:20260304T172031Z",
      "SEQUENCE:0",
      "DTSTART:20260307T150000Z",
      "DTEND:20260307T154500Z",
      "SUMMARY:Appointment: Acme and Ada Lovelace",
      "STATUS:CONFIRMED",
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ]);
  });

  it("names one side when the other has no name", () => {
    const { VEVENT } = read(calendarFile(appointment, { organization: "Acme", person: null }));
    expect(VEVENT!.SUMMARY).toBe("Appointment: Acme");
  });

  it("of a later state has a higher sequence, and of a cancelled one takes it back", () => {
    const changed = { ...appointment, status: "cancelled" as const, updated_at: "2026-03-04T18:00:00.000Z" };
    const { VCALENDAR, VEVENT } = read(calendarFile(changed, acme));
    expect(VCALENDAR!.METHOD).toBe("CANCEL");
    expect(VEVENT).toMatchObject({ STATUS: "CANCELLED", SEQUENCE: "2368" });
  });

  it("gives a strict reader back whatever was written", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({
        unit: fc.constantFrom("é", "🙂", "漢", ",", ";", "\\", "\n", "\\n", ":", " ", "a"),
        maxLength: 300,
      }),
    );
    fc.assert(
      fc.property(anyText, anyText, (notes, person) => {
        const { VEVENT } = read(
          calendarFile({ ...appointment, notes }, { organization: "A, B; C\\D", person }),
        );
        const plain = (written: string) =>
          written
            .toWellFormed()
            .replace(/\r\n?/g, "\n")
            // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
            .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
        expect(VEVENT!.DESCRIPTION ?? "").toBe(plain(notes));
        expect(VEVENT!.SUMMARY).toBe(
          plain(person.trim() === "" ? "Appointment: A, B; C\\D" : `Appointment: A, B; C\\D and ${person}`),
        );
      }),
    );
  });
});

/** Reads a file by the grammar of RFC 5545 and nothing looser: properties by component. */
function read(file: string): Record<string, Record<string, string>> {
  expect(file.endsWith("\r\n")).toBe(true);
  const physical = file.slice(0, -2).split("\r\n");
  const lines: string[] = [];
  for (const line of physical) {
    expect(line).not.toMatch(/[\r\n]/);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    if (line.startsWith(" ")) lines[lines.length - 1] += line.slice(1);
    else lines.push(line);
  }
  const open: string[] = [];
  const components: Record<string, Record<string, string>> = {};
  for (const line of lines) {
    const [, name, value] = /^([A-Z-]+):(.*)$/su.exec(line)!;
    if (name === "BEGIN") {
      open.push(value!);
      components[value!] = {};
    } else if (name === "END") expect(open.pop()).toBe(value);
    else {
      const component = components[open.at(-1)!]!;
      expect(component).not.toHaveProperty(name!);
      component[name!] = value!.replace(/\\(.)/gsu, (_, escaped: string) => {
        expect("\\;,nN").toContain(escaped);
        return escaped.toLowerCase() === "n" ? "\n" : escaped;
      });
      if (["SUMMARY", "DESCRIPTION"].includes(name!)) expect(value).not.toMatch(/(?<!\\)(?:\\\\)*[;,]/);
    }
  }
  expect(open).toEqual([]);
  expect(components.VEVENT).toHaveProperty("UID");
  expect(components.VEVENT!.DTSTART).toMatch(/^\d{8}T\d{6}Z$/);
  return components;
}
