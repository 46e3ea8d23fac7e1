import type { Statement } from "../../database/database.ts";

const columns = `id, status, lead_id, campaign_id, call_id, appointment_datetime, duration_minutes, timezone, source, notes,
  cancel_reason, cancelled_at, created_at, coalesce(updated_at, created_at) AS updated_at`;

/**
 * One booker of a lead at a time: what overlaps is looked for after it.
 * $1 organization, $2 lead
 */
export const lockLead = {
  name: "appointment-lock-lead",
  text: "SELECT id, phone_number FROM leads WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
};

export const readTimeZone = {
  name: "appointment-organization-zone",
  text: "SELECT timezone FROM organizations WHERE organization_id = $1",
};

/** $1 organization */
export const readHours = {
  name: "appointment-hours",
  text: "SELECT timezone, appointment_hours AS hours FROM organizations WHERE organization_id = $1",
};

/** The lead's scheduled appointments that end after an instant. $1 organization, $2 lead, $3 instant */
export const readTaken = {
  name: "appointment-taken",
  text: `
    SELECT appointment_datetime, duration_minutes FROM appointments
    WHERE organization_id = $1 AND lead_id = $2 AND status = 'scheduled'
      AND appointment_datetime + make_interval(mins => duration_minutes) > $3::timestamptz`,
};

/** $1 organization, $2 lead, $3 beginning, $4 minutes, $5 the appointment that may overlap itself, or null */
export const findOverlap = {
  name: "appointment-overlap",
  text: `
    SELECT id FROM appointments
    WHERE organization_id = $1 AND lead_id = $2 AND status = 'scheduled' AND id IS DISTINCT FROM $5::uuid
      AND appointment_datetime < $3::timestamptz + make_interval(mins => $4)
      AND appointment_datetime + make_interval(mins => duration_minutes) > $3::timestamptz
    LIMIT 1`,
};

/** $11 now */
export const insertAppointment = {
  name: "appointment-insert",
  text: `
    INSERT INTO appointments (organization_id, id, status, lead_id, campaign_id, call_id, appointment_datetime,
      duration_minutes, timezone, source, notes, created_at, updated_at)
    VALUES ($1, $2, 'scheduled', $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
    RETURNING ${columns}`,
};

export const readAppointment = {
  name: "appointment-read",
  text: `SELECT ${columns} FROM appointments WHERE organization_id = $1 AND id = $2`,
};

/** Holds the appointment for the rest of the transaction. */
export const lockAppointment = {
  name: "appointment-lock",
  text: `SELECT ${columns} FROM appointments WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
};

/** $7 now */
export const updateAppointment = {
  name: "appointment-update",
  text: `
    UPDATE appointments SET appointment_datetime = $3, duration_minutes = $4, timezone = $5, notes = $6, updated_at = $7
    WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

/** $3 reason, $4 now */
export const cancelAppointment = {
  name: "appointment-cancel",
  text: `
    UPDATE appointments SET status = 'cancelled', cancel_reason = $3, cancelled_at = $4, updated_at = $4
    WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

/** $3 status, $4 now */
export const finishAppointment = {
  name: "appointment-finish",
  text: `
    UPDATE appointments SET status = $3, updated_at = $4 WHERE organization_id = $1 AND id = $2
    RETURNING ${columns}`,
};

/** Who meets. $1 organization, $2 lead or null */
export const readNames = {
  name: "appointment-names",
  text: `
    SELECT o.name AS organization, nullif(concat_ws(' ', l.first_name, l.last_name), '') AS person
    FROM organizations AS o LEFT JOIN leads AS l ON l.organization_id = o.organization_id AND l.id = $2::uuid
    WHERE o.organization_id = $1`,
};

/** Newest first. One prepared statement for each combination of filters. */
export function listAppointments(
  organizationId: string,
  filter: { status?: string | undefined; leadId?: string | undefined },
  limit: number,
  offset: number,
): Statement {
  const values: unknown[] = [organizationId, limit, offset];
  const where = ["organization_id = $1"];
  const name = ["appointments-list"];
  if (filter.status !== undefined) {
    where.push(`status = $${values.push(filter.status)}`);
    name.push("status");
  }
  if (filter.leadId !== undefined) {
    where.push(`lead_id = $${values.push(filter.leadId)}`);
    name.push("lead");
  }
  return {
    name: name.join("-"),
    text: `SELECT ${columns} FROM appointments WHERE ${where.join(" AND ")}
           ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
    values,
  };
}
