import { type Transaction, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { recordEvents } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import { readTimeZone } from "../organizations/index.ts";
import type { Appointment, AppointmentPatch } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";
import { type AppointmentsDeps, lockLead } from "./book-appointment.ts";
import { appointmentNotFound } from "./read-appointments.ts";
import { instantOf, refuseOverlap } from "./time-of-appointment.ts";

/**
 * Changes the fields sent. A changed time reports `appointment.rescheduled`. Of an appointment that is over or cancelled,
 * only the notes can change.
 * @throws DomainError not_found, invalid_request for a time or a time zone that doesn't exist,
 *   conflict when it isn't scheduled or would overlap another appointment of the lead
 */
export async function patchAppointment(
  deps: AppointmentsDeps,
  input: { organizationId: string; id: string; body: AppointmentPatch; actor?: string | undefined },
): Promise<Appointment> {
  const { organizationId, id, body, actor } = input;
  const changes = Object.keys(body);
  const sentTime = body.appointment_datetime === undefined ? null : instantOf(body.appointment_datetime);
  const sentZone = body.timezone === undefined ? null : readTimeZone(body.timezone);

  return deps.database.transaction(async (transaction) => {
    const [before] = await transaction.query<Appointment>({
      ...sql.lockAppointment,
      values: [organizationId, id],
    });
    if (!before) throw appointmentNotFound();
    if (before.status !== "scheduled" && changes.some((field) => field !== "notes")) {
      throw new DomainError("conflict", `The appointment is ${before.status}: only its notes can change.`);
    }
    const after = {
      at: sentTime ?? before.appointment_datetime,
      durationMinutes: body.duration_minutes ?? before.duration_minutes,
    };
    const moved = after.at !== before.appointment_datetime;
    if (moved || after.durationMinutes !== before.duration_minutes) {
      await claimTime(transaction, organizationId, before, after);
    }
    const [appointment] = await transaction.query<Appointment>({
      ...sql.updateAppointment,
      values: [
        organizationId,
        id,
        after.at,
        after.durationMinutes,
        sentZone ?? before.timezone,
        body.notes === undefined ? before.notes : body.notes,
        timestamp(deps.clock.now()),
      ],
    });
    if (moved) {
      const data = {
        appointment_id: before.id,
        previous_datetime: before.appointment_datetime,
        appointment_datetime: appointment!.appointment_datetime,
        changes,
      };
      await recordEvents(deps, transaction, [{ organizationId, type: "appointment.rescheduled", data }]);
    }
    if (actor !== undefined) {
      await recordAudit(deps, transaction, {
        organizationId,
        actor,
        action: "appointment.updated",
        subjectType: "appointment",
        subjectId: before.id,
        details: { fields: changes },
      });
    }
    return appointment!;
  });
}

async function claimTime(
  transaction: Transaction,
  organizationId: string,
  { id, lead_id: leadId }: Appointment,
  time: { at: string; durationMinutes: number },
): Promise<void> {
  if (leadId === null) return;
  await lockLead(transaction, organizationId, leadId);
  await refuseOverlap(transaction, { organizationId, leadId, ...time, own: id });
}
