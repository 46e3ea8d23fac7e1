import { type Static, Type } from "typebox";
import { atLeastOneField, Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";

const Status = oneOf(["scheduled", "cancelled", "completed", "no_show"]);

export const Appointment = Type.Object(
  {
    id: Uuid,
    status: Status,
    lead_id: nullable(Uuid),
    campaign_id: nullable(Uuid),
    call_id: nullable(Type.String({ format: "uuid", description: "The call in which it was booked" })),
    appointment_datetime: Instant,
    duration_minutes: Type.Integer(),
    timezone: Type.String({ description: "IANA name: where the person keeps it" }),
    source: oneOf(["ai_agent", "app", "public_api"], { description: "Who booked it" }),
    notes: nullable(Type.String()),
    cancel_reason: nullable(Type.String()),
    cancelled_at: nullable(Instant),
    created_at: Instant,
    updated_at: Instant,
  },
  { "x-name": "Appointment" },
);
export type Appointment = Static<typeof Appointment>;

export const AppointmentPage = pageOf(Appointment);
export const AppointmentListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(Status),
  lead_id: Type.Optional(Uuid),
});

const timeFields = {
  appointment_datetime: Type.String({
    format: "iso-instant",
    description: "an ISO 8601 date-time; without an offset it is UTC",
  }),
  duration_minutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 480, description: "whole minutes, 5 to 480; default 30" }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "an IANA time zone such as America/New_York; default the one of the lead's area code where it has only one, else the organization's",
    }),
  ),
};
const notes = Type.Optional(
  nullable(Type.String({ maxLength: 2_000, description: "up to 2,000 characters" })),
);

export const AppointmentCreate = Type.Object(
  { lead_id: Uuid, ...timeFields, notes },
  { additionalProperties: false, "x-name": "AppointmentCreate" },
);
export type AppointmentCreate = Static<typeof AppointmentCreate>;

export const AppointmentPatch = Type.Object(
  { ...timeFields, appointment_datetime: Type.Optional(timeFields.appointment_datetime), notes },
  { ...atLeastOneField, additionalProperties: false, "x-name": "AppointmentPatch" },
);
export type AppointmentPatch = Static<typeof AppointmentPatch>;

export const AppointmentCancel = Type.Object(
  {
    reason: Type.Optional(
      nullable(Type.String({ description: "why; only the first 500 characters are kept" })),
    ),
  },
  { additionalProperties: false, "x-name": "AppointmentCancel" },
);
export type AppointmentCancel = Static<typeof AppointmentCancel>;

/** Of the private API. */
export const AppAppointmentCreate = Type.Object(
  { lead_id: Uuid, campaign_id: Type.Optional(Uuid), ...timeFields, notes },
  { additionalProperties: false, "x-name": "AppAppointmentCreate" },
);

/** Of the private API. */
export const AppointmentReschedule = Type.Object(timeFields, {
  additionalProperties: false,
  "x-name": "AppointmentReschedule",
});

/** Of the private API: there is nothing to say. */
export const AppointmentFinish = Type.Object({}, { additionalProperties: false });
