import type { Database } from "../../database/database.ts";
import type { Answer } from "../../http/route.ts";
import * as sql from "./appointments.sql.ts";
import { calendarFile } from "./calendar-file.ts";
import { readAppointment } from "./read-appointments.ts";

/** An appointment as a download for calendars. @throws DomainError not_found */
export async function readCalendarFile(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<Answer> {
  const appointment = await readAppointment(deps, organizationId, id);
  const [names] = await deps.database.query<{ organization: string; person: string | null }>({
    ...sql.readNames,
    values: [organizationId, appointment.lead_id],
  });
  return {
    body: calendarFile(appointment, names!),
    contentType: "text/calendar; charset=utf-8",
    headers: { "content-disposition": `attachment; filename="appointment-${id}.ics"` },
  };
}
