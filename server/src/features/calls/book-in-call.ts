import { DomainError } from "../../domain-error.ts";
import type { ToolResult } from "../../voice/engines/engine.ts";
import type { BookAppointmentArguments } from "../../voice/engines/tool-definitions.ts";
import { wallClockIn } from "../../wall-clock.ts";
import { bookFreeTime } from "../appointments/index.ts";
import { readTimeZone } from "../organizations/index.ts";
import { appointmentTime } from "./appointment-time.ts";
import type { CallsDeps } from "./calls-deps.ts";
import { clockOfPerson } from "./clock-of-person.ts";
import type { OpenedCall } from "./open-call.ts";
import { personOf } from "./person-of-call.ts";

/**
 * Books what the person on the line has agreed to, on their own clock: in the zone they named, else their number's main
 * one, else the organization's. A time that isn't free is answered with others that are.
 * @throws DomainError what the engine should tell the person
 */
export async function bookInCall(
  deps: CallsDeps,
  call: OpenedCall,
  args: BookAppointmentArguments,
): Promise<ToolResult> {
  const { leadId, phoneNumber } = await personOf(deps.database, call);
  const personClock =
    args.timezone === undefined ? clockOfPerson(call, phoneNumber) : wallClockIn(readTimeZone(args.timezone));
  const start = appointmentTime(args, deps.clock.now(), personClock);
  if (start === null) throw new DomainError("invalid_request", `There is no day ${args.day}.`);
  const booked = await bookFreeTime(deps, {
    organizationId: call.organizationId,
    leadId,
    start,
    personClock,
    durationMinutes: args.duration_minutes,
    notes: args.notes,
    source: "ai_agent",
    campaignId: call.campaignId,
    callId: call.callId,
    phoneNumber,
  });
  if ("refusal" in booked) return { ok: false, error: booked.refusal, alternatives: booked.alternatives };
  const { appointment } = booked;
  return {
    ok: true,
    result: {
      appointment_id: appointment.id,
      appointment_datetime: appointment.appointment_datetime,
      timezone: appointment.timezone,
      duration_minutes: appointment.duration_minutes,
    },
  };
}
