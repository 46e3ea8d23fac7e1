import {
  AppAppointmentCreate,
  Appointment,
  AppointmentCancel,
  AppointmentFinish,
  AppointmentListQuery,
  AppointmentPage,
  AppointmentReschedule,
  type AppointmentsDeps,
  bookAppointment,
  cancelAppointment,
  finishAppointment,
  listAppointments,
  patchAppointment,
  readCalendarFile,
} from "../features/appointments/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function appointmentsAdminRoutes(deps: AppointmentsDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/appointments";
  return [
    route({
      method: "GET",
      path,
      operationId: "listAppointments",
      tag: "Appointments",
      summary: "List an organization's appointments, newest first",
      access: "operator",
      params: OrganizationParams,
      query: AppointmentListQuery,
      responses: { 200: { description: "A page of appointments", schema: AppointmentPage } },
      errors: ["organization_not_found", "lead_not_found"],
      async handle({ params, query }) {
        await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        const filter = { status: query.status, leadId: query.lead_id };
        return {
          body: { data: await listAppointments(deps, params.organization_id, filter, page), ...page },
        };
      },
    }),
    route({
      method: "POST",
      path,
      operationId: "bookAppointment",
      tag: "Appointments",
      summary: "Book an appointment in the app",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: AppAppointmentCreate,
      responses: { 201: { description: "The appointment", schema: Appointment } },
      errors: ["organization_not_found", "lead_not_found", "campaign_not_found", "conflict"],
      async handle({ caller, params, body }) {
        await readOrganization(deps, params.organization_id);
        const appointment = await bookAppointment(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          leadId: body.lead_id,
          campaignId: body.campaign_id,
          at: body.appointment_datetime,
          durationMinutes: body.duration_minutes,
          timezone: body.timezone,
          notes: body.notes,
          source: "app",
        });
        return { status: 201, body: appointment };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/reschedule`,
      operationId: "rescheduleAppointment",
      tag: "Appointments",
      summary: "Move an appointment",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: AppointmentReschedule,
      responses: { 200: { description: "The appointment as moved", schema: Appointment } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        return { body: await patchAppointment(deps, { organizationId, id, body, actor: caller.actor }) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/cancel`,
      operationId: "cancelAppointment",
      tag: "Appointments",
      summary: "Cancel an appointment in the app",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: AppointmentCancel,
      responses: { 200: { description: "The cancelled appointment", schema: Appointment } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        const input = { organizationId, id, reason: body.reason, actor: caller.actor };
        return { body: await cancelAppointment(deps, input) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/complete`,
      operationId: "completeAppointment",
      tag: "Appointments",
      summary: "Note that an appointment was kept",
      description: "One that is noted so already is answered unchanged; a cancelled one is refused.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: AppointmentFinish,
      responses: { 200: { description: "The appointment", schema: Appointment } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        const input = { organizationId, id, actor: caller.actor, status: "completed" as const };
        return { body: await finishAppointment(deps, input) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/no-show`,
      operationId: "missAppointment",
      tag: "Appointments",
      summary: "Note that the person missed an appointment",
      description: "One that is noted so already is answered unchanged; a cancelled one is refused.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: AppointmentFinish,
      responses: { 200: { description: "The appointment", schema: Appointment } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        const input = { organizationId, id, actor: caller.actor, status: "no_show" as const };
        return { body: await finishAppointment(deps, input) };
      },
    }),
    route({
      method: "GET",
      path: `${path}/:id.ics`,
      operationId: "readAppointmentCalendar",
      tag: "Appointments",
      summary: "Download an appointment for calendars",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The calendar file, RFC 5545", mediaType: "text/calendar" } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        await readOrganization(deps, params.organization_id);
        return readCalendarFile(deps, params.organization_id, params.id);
      },
    }),
  ];
}
