import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, pageFrom } from "../../http/schema.ts";
import { readTimeZone } from "../organizations/index.ts";
import {
  Appointment,
  AppointmentCancel,
  AppointmentCreate,
  AppointmentListQuery,
  AppointmentPage,
  AppointmentPatch,
} from "./appointments.schema.ts";
import { type AppointmentsDeps, bookAppointment } from "./book-appointment.ts";
import { cancelAppointment } from "./cancel-appointment.ts";
import { patchAppointment } from "./patch-appointment.ts";
import { listAppointments, readAppointment } from "./read-appointments.ts";
import { readCalendarFile } from "./read-calendar-file.ts";

export function appointmentsRoutes(deps: AppointmentsDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/appointments",
      operationId: "listAppointments",
      tag: "Appointments",
      summary: "List appointments, newest first",
      access: "appointments:read",
      query: AppointmentListQuery,
      responses: { 200: { description: "A page of appointments", schema: AppointmentPage } },
      errors: ["lead_not_found"],
      async handle({ caller, query }) {
        const page = pageFrom(query);
        const filter = { status: query.status, leadId: query.lead_id };
        return { body: { data: await listAppointments(deps, caller.organizationId, filter, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/appointments",
      operationId: "createAppointment",
      tag: "Appointments",
      summary: "Book an appointment with a lead",
      description: "Two scheduled appointments of one lead can't overlap. Emits `appointment.booked`.",
      access: "appointments:write",
      writes: true,
      body: AppointmentCreate,
      checkBody: checkTimeZone,
      responses: { 201: { description: "The appointment", schema: Appointment } },
      errors: ["lead_not_found", "conflict"],
      async handle({ caller, body }) {
        const appointment = await bookAppointment(deps, {
          organizationId: caller.organizationId,
          leadId: body.lead_id,
          at: body.appointment_datetime,
          durationMinutes: body.duration_minutes,
          timezone: body.timezone,
          notes: body.notes,
          source: "public_api",
        });
        return { status: 201, body: appointment };
      },
    }),
    route({
      method: "GET",
      path: "/appointments/:id",
      operationId: "readAppointment",
      tag: "Appointments",
      summary: "Read an appointment",
      access: "appointments:read",
      params: IdParams,
      responses: { 200: { description: "The appointment", schema: Appointment } },
      async handle({ caller, params }) {
        return { body: await readAppointment(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "GET",
      path: "/appointments/:id.ics",
      operationId: "readAppointmentCalendar",
      tag: "Appointments",
      summary: "Download an appointment for calendars",
      description:
        "An iCalendar file (RFC 5545) with times in UTC. After a change, and after a cancellation, the new file takes the place of the old one in the calendar that has it. It holds the names of both sides, and the notes.",
      access: "appointments:read",
      params: IdParams,
      responses: { 200: { description: "The calendar file", mediaType: "text/calendar" } },
      async handle({ caller, params }) {
        return readCalendarFile(deps, caller.organizationId, params.id);
      },
    }),
    route({
      method: "PATCH",
      path: "/appointments/:id",
      operationId: "updateAppointment",
      tag: "Appointments",
      summary: "Change an appointment",
      description:
        "A changed time emits `appointment.rescheduled`. Of an appointment that isn't scheduled any more, only the notes can change.",
      access: "appointments:write",
      writes: true,
      params: IdParams,
      body: AppointmentPatch,
      checkBody: checkTimeZone,
      responses: { 200: { description: "The appointment as changed", schema: Appointment } },
      errors: ["nothing_to_update", "conflict"],
      async handle({ caller, params, body }) {
        const input = { organizationId: caller.organizationId, id: params.id, body };
        return { body: await patchAppointment(deps, input) };
      },
    }),
    route({
      method: "POST",
      path: "/appointments/:id/cancel",
      operationId: "cancelAppointment",
      tag: "Appointments",
      summary: "Cancel an appointment",
      description:
        "Emits `appointment.cancelled`. One that is cancelled is answered unchanged; one that is completed or was missed is refused.",
      access: "appointments:write",
      writes: true,
      params: IdParams,
      body: AppointmentCancel,
      responses: { 200: { description: "The cancelled appointment", schema: Appointment } },
      errors: ["conflict"],
      async handle({ caller, params, body }) {
        const input = { organizationId: caller.organizationId, id: params.id, reason: body.reason };
        return { body: await cancelAppointment(deps, input) };
      },
    }),
  ];
}

/** @throws DomainError invalid_request for a time zone that doesn't exist */
function checkTimeZone({ timezone }: { timezone?: string }): void {
  if (timezone !== undefined) readTimeZone(timezone);
}
