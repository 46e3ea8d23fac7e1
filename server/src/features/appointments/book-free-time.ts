import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { spokenTime, type WallClock, wallClockIn } from "../../wall-clock.ts";
import type { AppointmentHours } from "../organizations/index.ts";
import type { Appointment } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";
import { type AppointmentsDeps, type Booking, bookAppointment } from "./book-appointment.ts";
import { type Calendar, freeTimesNear, whyNotFree } from "./free-times.ts";

const DEFAULT_MINUTES = 30;

export type BookedOrRefused =
  | { appointment: Appointment }
  /** In words with the alternatives, and these again: dates and times of the person's clock. */
  | { refusal: string; alternatives: { day: string; time: string }[] };

/**
 * Books for an agent: a time within the organization's hours at which the lead has no other appointment. There is no limit to an
 * organization's appointments at one time: who keeps them isn't known here.
 * @param input `start` in milliseconds since the epoch
 * @returns the appointment, or why not with up to three free times near the wanted one
 */
export async function bookFreeTime(
  deps: AppointmentsDeps,
  input: Omit<Booking, "at" | "timezone"> & { start: number; personClock: WallClock },
): Promise<BookedOrRefused> {
  const { start, personClock, durationMinutes = DEFAULT_MINUTES, ...booking } = input;
  const end = start + durationMinutes * 60_000;
  const refuse = (calendar: Calendar, why: string): BookedOrRefused => {
    const free = freeTimesNear(calendar, { start, durationMs: end - start });
    const walls = free.map((instant) => personClock.at(instant));
    const offer =
      walls.length === 0 ? "No time near it is free." : `Free times: ${walls.map(spokenTime).join("; ")}.`;
    return { refusal: `${why} ${offer}`, alternatives: walls.map(dayAndTime) };
  };
  const calendar = await readCalendar(deps, booking, personClock);
  const why = whyNotFree(calendar, { start, end });
  if (why !== null) return refuse(calendar, why);
  try {
    const appointment = await bookAppointment(deps, {
      ...booking,
      durationMinutes,
      at: timestamp(start),
      timezone: personClock.timezone,
    });
    return { appointment };
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "conflict")) throw error;
    // Somebody was quicker.
    return refuse(await readCalendar(deps, booking, personClock), error.message);
  }
}

async function readCalendar(
  { database, clock }: AppointmentsDeps,
  { organizationId, leadId }: Pick<Booking, "organizationId" | "leadId">,
  personClock: WallClock,
): Promise<Calendar> {
  const now = clock.now();
  const [organization] = await database.query<{ timezone: string; hours: AppointmentHours }>({
    ...sql.readHours,
    values: [organizationId],
  });
  const taken =
    leadId === null
      ? []
      : await database.query<{ appointment_datetime: string; duration_minutes: number }>({
          ...sql.readTaken,
          values: [organizationId, leadId, timestamp(now)],
        });
  return {
    now,
    hours: organization!.hours,
    organizationClock: wallClockIn(organization!.timezone),
    personClock,
    taken: taken.map(({ appointment_datetime, duration_minutes }) => {
      const start = Date.parse(appointment_datetime);
      return { start, end: start + duration_minutes * 60_000 };
    }),
  };
}

function dayAndTime(wall: number): { day: string; time: string } {
  const written = new Date(wall).toISOString();
  return { day: written.slice(0, 10), time: written.slice(11, 16) };
}
