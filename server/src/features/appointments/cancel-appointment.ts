import { timestamp } from "../../database/database.ts";
import { recordEvents } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import { refuseMove } from "./appointment-states.ts";
import type { Appointment } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";
import type { AppointmentsDeps } from "./book-appointment.ts";
import { appointmentNotFound } from "./read-appointments.ts";

const LONGEST_REASON = 500;

/**
 * Cancels a scheduled appointment and reports `appointment.cancelled`. One that is cancelled stays as it is.
 * @param input `reason` is cut to 500 characters; `actor` is an operator, and its absence means the public API
 * @throws DomainError not_found, conflict when it is completed or was missed
 */
export async function cancelAppointment(
  deps: AppointmentsDeps,
  input: {
    organizationId: string;
    id: string;
    reason?: string | null | undefined;
    actor?: string | undefined;
  },
): Promise<Appointment> {
  const { organizationId, id, actor } = input;
  const reason = input.reason == null ? null : [...input.reason].slice(0, LONGEST_REASON).join("");
  return deps.database.transaction(async (transaction) => {
    const [before] = await transaction.query<Appointment>({
      ...sql.lockAppointment,
      values: [organizationId, id],
    });
    if (!before) throw appointmentNotFound();
    if (before.status === "cancelled") return before;
    refuseMove(before.status, "cancelled");
    const [appointment] = await transaction.query<Appointment>({
      ...sql.cancelAppointment,
      values: [organizationId, id, reason, timestamp(deps.clock.now())],
    });
    const data = { appointment_id: before.id, reason };
    await recordEvents(deps, transaction, [
      {
        organizationId,
        type: "appointment.cancelled",
        data: actor === undefined ? { ...data, source: "public_api" } : data,
      },
    ]);
    if (actor !== undefined) {
      await recordAudit(deps, transaction, {
        organizationId,
        actor,
        action: "appointment.cancelled",
        subjectType: "appointment",
        subjectId: before.id,
      });
    }
    return appointment!;
  });
}
