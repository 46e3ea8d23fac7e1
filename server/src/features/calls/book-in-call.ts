import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { zonesOfNumber } from "../../numbering/index.ts";
import type { ToolResult } from "../../voice/engines/engine.ts";
import type { BookAppointmentArguments } from "../../voice/engines/tool-definitions.ts";
import { bookAppointment } from "../appointments/index.ts";
import { readTimeZone } from "../organizations/index.ts";
import { appointmentTime } from "./appointment-time.ts";
import type { CallsDeps } from "./calls-deps.ts";
import type { OpenedCall } from "./open-call.ts";
import { personOf } from "./person-of-call.ts";

/**
 * Books what the person on the line has agreed to, on their own clock: in the zone they named, else their number's main
 * one, else the organization's.
 * @throws DomainError what the engine should tell the person
 */
export async function bookInCall(
  deps: CallsDeps,
  call: OpenedCall,
  args: BookAppointmentArguments,
): Promise<ToolResult> {
  const { organizationId, callId } = call;
  return deps.database.transaction(async (transaction) => {
    const { leadId, phoneNumber } = await personOf(transaction, call);
    const ofNumber = phoneNumber === null ? undefined : zonesOfNumber(phoneNumber)[0];
    const timezone = args.timezone === undefined ? (ofNumber ?? call.timezone) : readTimeZone(args.timezone);
    const now = deps.clock.now();
    const at = appointmentTime(args, now, timezone);
    if (at === null) throw new DomainError("invalid_request", `There is no day ${args.day}.`);
    if (at <= now) throw new DomainError("invalid_request", "That time is in the past.");
    const appointment = await bookAppointment(
      deps,
      {
        organizationId,
        leadId,
        at: timestamp(at),
        durationMinutes: args.duration_minutes,
        timezone,
        notes: args.notes,
        source: "ai_agent",
        callId,
        phoneNumber,
      },
      transaction,
    );
    return {
      ok: true,
      result: {
        appointment_id: appointment.id,
        appointment_datetime: appointment.appointment_datetime,
        timezone: appointment.timezone,
        duration_minutes: appointment.duration_minutes,
      },
    };
  });
}
