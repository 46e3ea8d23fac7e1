import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { deliveryStates } from "./delivery-states.ts";

const fields = {
  id: Uuid,
  event_id: Uuid,
  event_type: nullable(Type.String({ description: "null when the event is no longer kept" })),
  subscription_id: Uuid,
  state: oneOf(deliveryStates),
  attempt: Type.Integer({ description: "Attempts made in the current round; a replay begins a new one" }),
  attempts_made: Type.Integer({ description: "Attempts ever made" }),
  next_attempt_at: nullable(Instant),
  created_at: Instant,
  finished_at: nullable(Instant),
  last_status_code: nullable(Type.Integer({ description: "What the last attempt was answered with" })),
  last_error: nullable(Type.String({ description: "Why the last attempt failed" })),
};

const DeliveryAttemptRecord = Type.Object(
  {
    number: Type.Integer({ description: "Counted over all rounds" }),
    attempt: Type.Integer({ description: "As sent in `X-Service-Delivery-Attempt`" }),
    started_at: Instant,
    duration_ms: Type.Integer(),
    status_code: nullable(Type.Integer()),
    error: nullable(Type.String()),
    response_excerpt: nullable(Type.String({ description: "The first 1,024 bytes of the answer" })),
  },
  { "x-name": "DeliveryAttempt" },
);
export type DeliveryAttemptRecord = Static<typeof DeliveryAttemptRecord>;

export const Delivery = Type.Object(
  {
    ...fields,
    attempts: Type.Array(DeliveryAttemptRecord, { description: "In the order they were made" }),
  },
  { "x-name": "Delivery" },
);
export type Delivery = Static<typeof Delivery>;

const EventBody = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description: "What is sent: `{ id, type, organization_id, occurred_at, data }`",
});

export const DeliveryDetails = Type.Object(
  {
    ...fields,
    event: Type.Union([EventBody, Type.Null()], { description: "null when the event is no longer kept" }),
    attempts: Type.Array(DeliveryAttemptRecord, { description: "In the order they were made" }),
  },
  { "x-name": "DeliveryDetails" },
);
export type DeliveryDetails = Static<typeof DeliveryDetails>;

export const DeliveryPage = pageOf(Delivery);

export const DeliveryListQuery = Type.Object({
  ...pageQuery,
  subscription_id: Type.Optional(Uuid),
  state: Type.Optional(oneOf(deliveryStates)),
});

export const ReplayedDeadLetters = Type.Object(
  { replayed: Type.Integer({ description: "How many dead letters were queued again" }) },
  { "x-name": "ReplayedDeadLetters" },
);
