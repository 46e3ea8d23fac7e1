import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import { findLead } from "../leads/index.ts";
import type { Appointment } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";

/** @throws DomainError not_found */
export async function readAppointment(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<Appointment> {
  const [appointment] = await deps.database.query<Appointment>({
    ...sql.readAppointment,
    values: [organizationId, id],
  });
  if (!appointment) throw appointmentNotFound();
  return appointment;
}

/** Newest first. @throws DomainError lead_not_found when the filter names one that isn't the organization's */
export async function listAppointments(
  deps: { database: Database },
  organizationId: string,
  filter: { status?: string | undefined; leadId?: string | undefined },
  page: Page,
): Promise<Appointment[]> {
  const appointments = await deps.database.query<Appointment>(
    sql.listAppointments(organizationId, filter, page.limit, page.offset),
  );
  // Only an empty page leaves the question open.
  if (appointments.length === 0 && filter.leadId !== undefined) {
    const lead = await findLead(deps.database, organizationId, filter.leadId);
    if (!lead) throw new DomainError("lead_not_found", "lead_id is not a lead of this organization.");
  }
  return appointments;
}

export function appointmentNotFound(): DomainError {
  return new DomainError("not_found", "There is no such appointment.");
}
