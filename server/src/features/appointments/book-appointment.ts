import { type Database, type Transaction, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { type OutboxDeps, recordEvents } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import { requireCampaign } from "../leads/index.ts";
import { readTimeZone } from "../organizations/index.ts";
import type { Appointment } from "./appointments.schema.ts";
import * as sql from "./appointments.sql.ts";
import { instantOf, personTimeZone, refuseOverlap } from "./time-of-appointment.ts";

export type AppointmentsDeps = OutboxDeps & { database: Database };

export interface Booking {
  organizationId: string;
  /** Null only for a person in a call who is no lead: nothing is looked at for overlaps then. */
  leadId: string | null;
  /** ISO 8601; without an offset it is UTC. */
  at: string;
  /** 5 to 480; default 30. */
  durationMinutes?: number | undefined;
  /** IANA; default as `personTimeZone` says. */
  timezone?: string | undefined;
  notes?: string | null | undefined;
  source: Appointment["source"];
  campaignId?: string | null | undefined;
  /** The call in which it was booked, and the number of the person, who may be no lead. */
  callId?: string | null | undefined;
  phoneNumber?: string | null | undefined;
  /** Named in the audit log, where it was booked by an operator. */
  actor?: string | undefined;
}

const DEFAULT_MINUTES = 30;

/**
 * Books an appointment and reports `appointment.booked`; in the caller's transaction where one is given.
 * @throws DomainError lead_not_found, campaign_not_found, invalid_request for a time or a time zone that doesn't exist,
 *   conflict when it overlaps a scheduled appointment of the lead
 */
export function bookAppointment(
  deps: AppointmentsDeps,
  booking: Booking,
  transaction?: Transaction,
): Promise<Appointment> {
  return transaction
    ? book(deps, booking, transaction)
    : deps.database.transaction((own) => book(deps, booking, own));
}

async function book(
  deps: AppointmentsDeps,
  booking: Booking,
  transaction: Transaction,
): Promise<Appointment> {
  const { organizationId, campaignId = null, durationMinutes = DEFAULT_MINUTES } = booking;
  const at = instantOf(booking.at);
  const timezone = booking.timezone === undefined ? null : readTimeZone(booking.timezone);
  const lead = booking.leadId === null ? null : await lockLead(transaction, organizationId, booking.leadId);
  if (campaignId !== null) await requireCampaign({ database: transaction }, organizationId, campaignId);
  if (lead) {
    const time = { organizationId, leadId: lead.id, at, durationMinutes, own: null };
    await refuseOverlap(transaction, time);
  }
  const phoneNumber = booking.phoneNumber ?? lead?.phone_number ?? null;
  const [appointment] = await transaction.query<Appointment>({
    ...sql.insertAppointment,
    values: [
      organizationId,
      deps.newId(),
      lead?.id ?? null,
      campaignId,
      booking.callId ?? null,
      at,
      durationMinutes,
      timezone ?? (await personTimeZone(transaction, { organizationId, phoneNumber })),
      booking.source,
      booking.notes ?? null,
      timestamp(deps.clock.now()),
    ],
  });
  const { id, lead_id, appointment_datetime, source } = appointment!;
  await recordEvents(deps, transaction, [
    {
      organizationId,
      type: "appointment.booked",
      data: { appointment_id: id, lead_id, appointment_datetime, source },
    },
  ]);
  if (booking.actor !== undefined) {
    await recordAudit(deps, transaction, {
      organizationId,
      actor: booking.actor,
      action: "appointment.booked",
      subjectType: "appointment",
      subjectId: id,
      details: { lead_id, appointment_datetime },
    });
  }
  return appointment!;
}

/** @throws DomainError lead_not_found */
export async function lockLead(
  transaction: Transaction,
  organizationId: string,
  leadId: string,
): Promise<{ id: string; phone_number: string }> {
  const [lead] = await transaction.query<{ id: string; phone_number: string }>({
    ...sql.lockLead,
    values: [organizationId, leadId],
  });
  if (!lead) throw new DomainError("lead_not_found", "lead_id is not a lead of this organization.");
  return lead;
}
