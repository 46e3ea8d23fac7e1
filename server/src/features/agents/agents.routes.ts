import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, NoFields, pageFrom } from "../../http/schema.ts";
import { attachNumber, detachNumber } from "./agent-number.ts";
import {
  Agent,
  AgentCreate,
  AgentListQuery,
  AgentNumber,
  AgentPage,
  AgentPatch,
  AgentWithNumber,
  DeletedAgent,
} from "./agents.schema.ts";
import { type AgentsDeps, createAgent } from "./create-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import { patchAgent, refuseEmptyPatch } from "./patch-agent.ts";
import { listAgents, readAgent } from "./read-agents.ts";

export function agentsRoutes(deps: AgentsDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const by = (caller: ApiCaller) => ({
    organizationId: caller.organizationId,
    actor: `api_key:${caller.keyId}`,
  });
  return [
    route({
      method: "GET",
      path: "/agents",
      operationId: "listAgents",
      tag: "Agents",
      summary: "List voice agents, newest first",
      access: "agents:read",
      query: AgentListQuery,
      responses: { 200: { description: "A page of agents", schema: AgentPage } },
      async handle({ caller, query }) {
        const page = pageFrom(query);
        return { body: { data: await listAgents(deps, caller.organizationId, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/agents",
      operationId: "createAgent",
      tag: "Agents",
      summary: "Create a voice agent",
      description:
        "The template is stored whole: what isn't sent has its default. `{{name}}` in its texts is replaced, when a call starts, by a value of the call's `template_context` or its lead.",
      access: "agents:write",
      writes: true,
      body: AgentCreate,
      responses: { 201: { description: "The agent", schema: Agent } },
      async handle({ caller, body }) {
        return { status: 201, body: await createAgent(deps, { ...by(caller), managedBy: "api", body }) };
      },
    }),
    route({
      method: "GET",
      path: "/agents/:id",
      operationId: "readAgent",
      tag: "Agents",
      summary: "Read a voice agent",
      access: "agents:read",
      params: IdParams,
      responses: { 200: { description: "The agent", schema: Agent } },
      async handle({ caller, params }) {
        return { body: await readAgent(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "PATCH",
      path: "/agents/:id",
      operationId: "updateAgent",
      tag: "Agents",
      summary: "Change a voice agent",
      description: "`call_template` is merged key by key. Calls under way keep the template they began with.",
      access: "agents:write",
      writes: true,
      params: IdParams,
      body: AgentPatch,
      checkBody: refuseEmptyPatch,
      responses: { 200: { description: "The agent as changed", schema: Agent } },
      errors: ["nothing_to_update", "agent_managed_in_app"],
      async handle({ caller, params, body }) {
        return { body: await patchAgent(deps, { ...by(caller), id: params.id, body }) };
      },
    }),
    route({
      method: "DELETE",
      path: "/agents/:id",
      operationId: "deleteAgent",
      tag: "Agents",
      summary: "Delete a voice agent",
      description:
        "Refused while the agent is assigned to a campaign that is a draft, active or paused, is on a live call, or holds a number.",
      access: "agents:write",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "It is gone", schema: DeletedAgent } },
      errors: ["agent_managed_in_app", "agent_in_use"],
      async handle({ caller, params }) {
        return { body: await deleteAgent(deps, { ...by(caller), id: params.id }) };
      },
    }),
    route({
      method: "POST",
      path: "/agents/:id/phone-number",
      operationId: "attachAgentNumber",
      tag: "Agents",
      summary: "Let the agent answer calls to a number",
      description: "An agent holds one number: another one takes the place of the first.",
      access: "agents:write",
      writes: true,
      params: IdParams,
      body: AgentNumber,
      responses: { 200: { description: "The agent with its number", schema: AgentWithNumber } },
      errors: ["agent_managed_in_app", "phone_number_not_owned", "phone_number_in_use"],
      async handle({ caller, params, body }) {
        const input = { ...by(caller), id: params.id, phoneNumber: body.phone_number };
        return { body: await attachNumber(deps, input) };
      },
    }),
    route({
      method: "DELETE",
      path: "/agents/:id/phone-number",
      operationId: "detachAgentNumber",
      tag: "Agents",
      summary: "Take the agent's number from it",
      access: "agents:write",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "The agent without a number", schema: Agent } },
      errors: ["agent_managed_in_app"],
      async handle({ caller, params }) {
        return { body: await detachNumber(deps, { ...by(caller), id: params.id }) };
      },
    }),
  ];
}
