import { timestamp } from "../../database/database.ts";
import { recordAudit } from "../audit/index.ts";
import { refuseMove } from "./appointment-states.ts";
import type { Appointment } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";
import type { AppointmentsDeps } from "./book-appointment.ts";
import { appointmentNotFound } from "./read-appointments.ts";

/**
 * Notes that a scheduled appointment was kept, or missed. One that is noted so already stays as it is. No event: the catalog
 * has none for it.
 * @throws DomainError not_found, conflict when it was cancelled, or the other is noted
 */
export async function finishAppointment(
  deps: AppointmentsDeps,
  input: { organizationId: string; id: string; actor: string; status: "completed" | "no_show" },
): Promise<Appointment> {
  const { organizationId, id, actor, status } = input;
  return deps.database.transaction(async (transaction) => {
    const [before] = await transaction.query<Appointment>({
      ...sql.lockAppointment,
      values: [organizationId, id],
    });
    if (!before) throw appointmentNotFound();
    if (before.status === status) return before;
    refuseMove(before.status, status);
    const [appointment] = await transaction.query<Appointment>({
      ...sql.finishAppointment,
      values: [organizationId, id, status, timestamp(deps.clock.now())],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: `appointment.${status}`,
      subjectType: "appointment",
      subjectId: id,
    });
    return appointment!;
  });
}
