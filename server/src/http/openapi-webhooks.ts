import { type EventType, eventCatalog } from "../events/catalog.ts";
import type { Json, JsonObject } from "./openapi-schemas.ts";

const uuid = (example: string): JsonObject => ({ type: "string", format: "uuid", examples: [example] });
const nullableUuid = (example: string): JsonObject => ({
  type: ["string", "null"],
  format: "uuid",
  examples: [example],
});
const instant = (example: string): JsonObject => ({
  type: "string",
  format: "date-time",
  examples: [example],
});
const nullableText = (example: string): JsonObject => ({ type: ["string", "null"], examples: [example] });
const whole = (example: number): JsonObject => ({ type: "integer", examples: [example] });
const only = (value: string | boolean): JsonObject => ({
  type: typeof value === "string" ? "string" : "boolean",
  const: value,
  examples: [value],
});

const LEAD = "0198f0a2-6f3d-7c55-8a41-3d5e9b7c2f10";
const CALL = "0198f0a3-1b2c-7d4e-9f50-61728394a5b6";
const AGENT = "0198f0a3-0a1b-7c2d-8e3f-405162738495";
const APPOINTMENT = "0198f0a4-2c3d-7e4f-8051-6273849506a7";
const ORGANIZATION = "0198f09f-5a6b-7c8d-9e0f-102132435465";

const lead = { lead_id: uuid(LEAD) };
const byApi = { source: only("public_api") };
const imported = {
  ...lead,
  source: only("csv_import"),
  job_id: { ...uuid("0198f0a5-3d4e-7f50-8162-738495a6b7c8"), description: "The import that the row is of" },
};
const changes = {
  changes: {
    type: "array",
    items: { type: "string" },
    description: "The fields sent",
    examples: [["status"]],
  },
};
const appointment = { appointment_id: uuid(APPOINTMENT) };
const call = {
  call_id: uuid(CALL),
  direction: { type: "string", enum: ["web", "phone"], examples: ["phone"] },
};

/** The fields of each type's `data`, in each of its forms. All of a form's fields are always there, but `optional` ones. */
export const eventDataForms: Readonly<Record<EventType, readonly Readonly<Record<string, JsonObject>>[]>> = {
  "lead.created": [{ ...lead, deduped: only(false), ...byApi }, imported],
  "lead.updated": [{ ...lead, deduped: only(true), ...byApi }, imported, { ...lead, ...changes, ...byApi }],
  "lead.disposition_changed": [{ ...lead, ...changes, ...byApi }],
  "call.started": [
    {
      ...call,
      agent_id: nullableUuid(AGENT),
      lead_id: nullableUuid(LEAD),
      from_number: nullableText("+14155550150"),
      to_number: nullableText("+14155550100"),
    },
  ],
  "call.completed": [
    {
      call_id: call.call_id,
      direction: only("web"),
      status: only("completed"),
      duration_seconds: whole(74),
      agent_id: nullableUuid(AGENT),
      lead_id: nullableUuid(LEAD),
    },
  ],
  "call.transcript_ready": [
    {
      call_id: uuid(CALL),
      call_sid: nullableText("CA5f2b0c9d8e7f4a3b"),
      campaign_id: nullableUuid("0198f0a6-4e5f-7061-8273-8495a6b7c8d9"),
      lead_id: nullableUuid(LEAD),
      duration_seconds: { type: ["integer", "null"], examples: [74] },
      summary: nullableText("Agreed to a viewing tomorrow at 10:00."),
      has_transcript: { type: "boolean", examples: [true] },
    },
  ],
  "call.transferred": [
    {
      transfer_id: uuid("0198f0a7-5f60-7172-8384-95a6b7c8d9e0"),
      mode: only("warm"),
      outcome: only("success"),
    },
  ],
  "call.ended": [],
  "appointment.booked": [
    {
      ...appointment,
      lead_id: nullableUuid(LEAD),
      appointment_datetime: instant("2026-03-05T18:00:00.000Z"),
      source: { type: "string", enum: ["ai_agent", "app", "public_api"], examples: ["ai_agent"] },
    },
  ],
  "appointment.rescheduled": [
    {
      ...appointment,
      previous_datetime: instant("2026-03-05T18:00:00.000Z"),
      appointment_datetime: instant("2026-03-06T18:00:00.000Z"),
      changes: { ...changes.changes, examples: [["appointment_datetime"]] },
    },
  ],
  "appointment.cancelled": [
    {
      ...appointment,
      reason: nullableText("Asked to be called next month."),
      source: { ...byApi.source, description: "Only when it was cancelled through this API" },
    },
  ],
  "deal.status_changed": [
    {
      deal_id: uuid("0198f0a8-6071-7283-8495-a6b7c8d9e0f1"),
      status: nullableText("won"),
      stage: nullableText("closed"),
    },
  ],
  "billing.low_balance": [
    { current_balance: whole(9_950), threshold: whole(10_000), estimated_calls_remaining: whole(110) },
  ],
  "ai_engineer.onboarding_completed": [],
};

/** Fields that are not always there. */
const optional: Partial<Record<EventType, readonly string[]>> = { "appointment.cancelled": ["source"] };

const headerNames: readonly (readonly [name: string, description: string, schema: JsonObject])[] = [
  ["X-Service-Event", "The event type, same as `type`.", { type: "string" }],
  [
    "X-Service-Event-Id",
    "Same as `id`, and the same on every retry: an idempotency key.",
    { type: "string", format: "uuid" },
  ],
  ["X-Service-Delivery-Attempt", "1 on the first try, up to 8.", { type: "integer", minimum: 1, maximum: 8 }],
  [
    "X-Service-Signature-256",
    "`t=<unix seconds>,v1=<hex HMAC-SHA256>`: the HMAC of `<t>.<raw request body>` with the subscription's whole secret as key. " +
      "Refuse it when `t` is more than 300 seconds away from now, and compare in constant time.",
    { type: "string", pattern: "^t=[0-9]+,v1=[0-9a-f]{64}$" },
  ],
];

/** The event catalog as OpenAPI's `webhooks`: what a subscriber's endpoint receives. */
export function webhookOperations(tag: string): {
  operations: JsonObject;
  schemas: JsonObject;
  parameters: JsonObject;
} {
  const operations: JsonObject = {};
  const schemas: JsonObject = {};
  for (const { type, description, status } of eventCatalog) {
    const name = `${pascal(type)}Event`;
    schemas[name] = eventSchema(type);
    operations[type] = {
      post: {
        tags: [tag],
        operationId: `on${pascal(type)}`,
        summary: type,
        description,
        ...(status === "reserved" ? { "x-reserved": true } : {}),
        security: [],
        parameters: headerNames.map(([header]) => ({ $ref: `#/components/parameters/${header}` })),
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
        },
        responses: {
          "2XX": {
            description: "Received: the delivery is done. Answer within 10 seconds, before any slow work.",
          },
          "4XX": {
            description: "Tried again, like anything that isn't a 2xx: redirects, timeouts and 5xx too.",
          },
        },
      },
    };
  }
  const parameters = Object.fromEntries(
    headerNames.map(([name, description, schema]) => [
      name,
      { name, in: "header", required: true, description, schema },
    ]),
  );
  return { operations, schemas, parameters };
}

function eventSchema(type: EventType): JsonObject {
  const forms = eventDataForms[type].map((fields) => ({
    type: "object",
    required: Object.keys(fields).filter((name) => !optional[type]?.includes(name)),
    properties: { ...fields },
  }));
  const data: JsonObject =
    forms.length === 0 ? { type: "object" } : forms.length === 1 ? forms[0]! : { anyOf: forms };
  const example: JsonObject = {
    id: "0198f0a9-7182-7394-85a6-b7c8d9e0f102",
    type,
    organization_id: ORGANIZATION,
    occurred_at: "2026-03-04T17:20:31.412Z",
    data: Object.fromEntries(
      Object.entries(eventDataForms[type][0] ?? {}).map(([name, { examples }]) => [
        name,
        (examples as Json[])[0]!,
      ]),
    ),
  };
  return {
    type: "object",
    required: ["id", "type", "organization_id", "occurred_at", "data"],
    properties: {
      id: { type: "string", format: "uuid", description: "The same on every retry" },
      type: { type: "string", const: type },
      organization_id: { type: "string", format: "uuid" },
      occurred_at: { type: "string", format: "date-time" },
      data: { ...data, description: "Fields may be added: read leniently" },
    },
    examples: [example],
  };
}

/** `lead.disposition_changed` → `LeadDispositionChanged` */
function pascal(type: string): string {
  return type.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase());
}
