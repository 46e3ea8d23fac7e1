import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { CallTemplate, CallTemplateInput, CallTemplatePatch } from "./call-template.schema.ts";

const fields = {
  id: Uuid,
  name: Type.String(),
  call_template: nullable(CallTemplate),
  managed_by: oneOf(["api", "app"], { description: "An agent of the app is read-only through this API" }),
  phone_number: nullable(
    Type.String({ description: "E.164: calls to this number are answered by the agent" }),
  ),
  created_at: Instant,
  updated_at: Instant,
};

export const Agent = Type.Object(fields, { "x-name": "Agent" });
export type Agent = Static<typeof Agent>;

export const AgentPage = pageOf(Agent);
export const AgentListQuery = Type.Object(pageQuery);

const Name = Type.String({
  maxLength: 120,
  pattern: "\\S",
  description: "1 to 120 characters, not all of them spaces",
  "x-error": { default: "name_required", maxLength: "name_too_long" },
});

export const AgentCreate = Type.Object(
  { name: Name, call_template: CallTemplateInput },
  { additionalProperties: false, "x-name": "AgentCreate" },
);
export type AgentCreate = Static<typeof AgentCreate>;

export const AgentPatch = Type.Object(
  { name: Type.Optional(Name), call_template: Type.Optional(CallTemplatePatch) },
  { additionalProperties: false, "x-name": "AgentPatch" },
);
export type AgentPatch = Static<typeof AgentPatch>;

export const DeletedAgent = Type.Object(
  { id: Uuid, deleted: Type.Literal(true) },
  { "x-name": "DeletedAgent" },
);
export type DeletedAgent = Static<typeof DeletedAgent>;

export const AgentNumber = Type.Object(
  {
    phone_number: Type.String({
      format: "phone-number",
      pattern: "\\S",
      description: "one of the organization's numbers, in any format",
      "x-error": { default: "phone_number_required", format: "invalid_phone_number" },
    }),
  },
  { additionalProperties: false, "x-name": "AgentNumber" },
);
export type AgentNumber = Static<typeof AgentNumber>;

export const AgentWithNumber = Type.Object(
  {
    ...fields,
    inbound_webhook_configured: Type.Boolean({
      description: "Whether calls to the number reach the agent without anything more to be set up",
    }),
  },
  { "x-name": "AgentWithNumber" },
);
export type AgentWithNumber = Static<typeof AgentWithNumber>;

/** Of the private API: an agent managed in the app. */
export const AppAgentCreate = Type.Object(
  { ...CallTemplateInput.properties, name: Name },
  { additionalProperties: false, "x-name": "AppAgentCreate" },
);
export type AppAgentCreate = Static<typeof AppAgentCreate>;
