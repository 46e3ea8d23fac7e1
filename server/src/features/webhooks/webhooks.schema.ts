import { type Static, Type } from "typebox";
import { atLeastOneField, Instant, nullable, pageOf, Uuid } from "../../http/schema.ts";

const fields = {
  id: Uuid,
  name: Type.String(),
  target_url: Type.String(),
  event_types: Type.Array(Type.String(), { description: "Event type names, or `*` for all" }),
  enabled: Type.Boolean(),
  consecutive_failures: Type.Integer({
    description: "Failed attempts since the last success; at 25 the subscription is disabled",
  }),
  last_success_at: nullable(Instant),
  last_failure_at: nullable(Instant),
  disabled_reason: nullable(
    Type.String({ description: "Why it was disabled, when the service did it by itself" }),
  ),
  created_at: Instant,
};

export const Webhook = Type.Object(fields, { "x-name": "Webhook" });
export type Webhook = Static<typeof Webhook>;

export const CreatedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: "The HMAC key of `X-Service-Signature-256`, the whole string. Shown only here",
    }),
  },
  { "x-name": "CreatedWebhook" },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;

export const WebhookPage = pageOf(Webhook);

const name = (more = "") =>
  Type.String({
    maxLength: 120,
    pattern: "\\S",
    description: `1 to 120 characters, not all of them spaces${more}`,
  });
const TargetUrl = Type.String({
  description: "a publicly resolvable https URL without user name and password",
  "x-error": "malformed_url",
});
const EventTypes = Type.Array(Type.String({ "x-error": "event_types_required" }), {
  minItems: 1,
  description: "a non-empty array of event type names, or `*` for all",
  "x-error": "event_types_required",
});

export const WebhookCreate = Type.Object(
  {
    name: Type.Optional(name("; default the target's host")),
    target_url: TargetUrl,
    event_types: EventTypes,
  },
  { additionalProperties: false, "x-name": "WebhookCreate" },
);
export type WebhookCreate = Static<typeof WebhookCreate>;

export const WebhookPatch = Type.Object(
  {
    name: Type.Optional(name()),
    target_url: Type.Optional(TargetUrl),
    event_types: Type.Optional(EventTypes),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          "true, of a disabled one, resets `consecutive_failures` and `disabled_reason`; false discards the retries queued",
      }),
    ),
  },
  { ...atLeastOneField, additionalProperties: false, "x-name": "WebhookPatch" },
);
export type WebhookPatch = Static<typeof WebhookPatch>;

export const DeletedWebhook = Type.Object(
  { id: Uuid, deleted: Type.Literal(true) },
  { "x-name": "DeletedWebhook" },
);
