import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { parseIsoDateTime } from "../../iso-date-time.ts";
import { timeZoneOfNumber } from "../../numbering/index.ts";
import * as sql from "./appointments.sql.ts";

/** An ISO 8601 date-time as the instant it names, ISO 8601 in UTC. @throws DomainError invalid_request */
export function instantOf(text: string): string {
  const date = parseIsoDateTime(text);
  if (date === null) throw new DomainError("invalid_request", "appointment_datetime must be ISO 8601.");
  return date.toISOString();
}

/**
 * The time zone that a person is taken to live in: that of their number's area code where it has only one, else the
 * organization's. IANA name.
 */
export async function personTimeZone(
  on: Queryable,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string | null },
): Promise<string> {
  const ofNumber = phoneNumber === null ? null : timeZoneOfNumber(phoneNumber);
  if (ofNumber !== null) return ofNumber;
  const [organization] = await on.query<{ timezone: string }>({
    ...sql.readTimeZone,
    values: [organizationId],
  });
  return organization!.timezone;
}

/**
 * Refuses a time that overlaps another scheduled appointment of the lead, which the transaction must have locked. One
 * that begins when another ends doesn't overlap it.
 * @param own the appointment that is being moved; null for a new one
 * @throws DomainError conflict
 */
export async function refuseOverlap(
  transaction: Queryable,
  time: { organizationId: string; leadId: string; at: string; durationMinutes: number; own: string | null },
): Promise<void> {
  const [overlap] = await transaction.query<{ id: string }>({
    ...sql.findOverlap,
    values: [time.organizationId, time.leadId, time.at, time.durationMinutes, time.own],
  });
  if (overlap) {
    throw new DomainError("conflict", `It would overlap the lead's appointment ${overlap.id}.`);
  }
}
