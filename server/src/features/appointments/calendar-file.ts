import type { Appointment } from "./appointments.schema.ts";

/** Octets of a line without its end. RFC 5545, 3.1 */
const LONGEST_LINE = 75;

/**
 * An appointment as an iCalendar file (RFC 5545), all times in UTC. A file made after a change takes the place of an earlier
 * one, and that of a cancelled appointment takes it out of the calendar.
 * @param about who meets: names, or null where there is none
 */
export function calendarFile(
  appointment: Appointment,
  about: { organization: string; person: string | null },
): string {
  const start = Date.parse(appointment.appointment_datetime);
  const changed = Date.parse(appointment.updated_at);
  const cancelled = appointment.status === "cancelled";
  const names = [about.organization, about.person].filter((name) => name !== null && name.trim() !== "");
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Outreach//Appointments//EN",
    "CALSCALE:GREGORIAN",
    `METHOD:${cancelled ? "CANCEL" : "PUBLISH"}`,
    "BEGIN:VEVENT",
    `UID:${appointment.id}@outreach`,
    `DTSTAMP:${dateTime(changed)}`,
    `CREATED:${dateTime(Date.parse(appointment.created_at))}`,
    `LAST-MODIFIED:${dateTime(changed)}`,
    // Grows with every change, as it must.
    `SEQUENCE:${Math.max(0, Math.floor((changed - Date.parse(appointment.created_at)) / 1000))}`,
    `DTSTART:${dateTime(start)}`,
    `DTEND:${dateTime(start + appointment.duration_minutes * 60_000)}`,
    `SUMMARY:${text(`Appointment: ${names.join(" and ")}`)}`,
    ...(appointment.notes === null || appointment.notes === ""
      ? []
      : [`DESCRIPTION:${text(appointment.notes)}`]),
    `STATUS:${cancelled ? "CANCELLED" : "CONFIRMED"}`,
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

/** `20260307T150000Z` */
function dateTime(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** A TEXT value: escaped, without control characters. */
function text(value: string): string {
  return value
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/** Goes on in the next line, behind a space, where a line gets too long; never inside a character. */
function fold(line: string): string {
  let folded = "";
  let length = 0;
  for (const character of line) {
    const octets = Buffer.byteLength(character);
    if (length + octets > LONGEST_LINE) {
      folded += "\r\n ";
      length = 1;
    }
    folded += character;
    length += octets;
  }
  return folded;
}
