import {
  Agent,
  AgentListQuery,
  AgentPage,
  type AgentsDeps,
  AppAgentCreate,
  createAgent,
  listAgents,
} from "../features/agents/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationParams } from "./organization-params.ts";

export function agentsAdminRoutes(deps: AgentsDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/agents";
  return [
    route({
      method: "GET",
      path,
      operationId: "listAgents",
      tag: "Agents",
      summary: "List an organization's voice agents, newest first",
      access: "operator",
      params: OrganizationParams,
      query: AgentListQuery,
      responses: { 200: { description: "A page of agents", schema: AgentPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        return { body: { data: await listAgents(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path,
      operationId: "createAppAgent",
      tag: "Agents",
      summary: "Create a voice agent that is managed in the app",
      description: "The public API reads it and calls with it, but can't change it.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: AppAgentCreate,
      responses: { 201: { description: "The agent", schema: Agent } },
      errors: ["organization_not_found"],
      async handle({ caller, params, body: { name, ...callTemplate } }) {
        const { organization_id: organizationId } = params;
        await readOrganization(deps, organizationId);
        const agent = await createAgent(deps, {
          organizationId,
          actor: caller.actor,
          managedBy: "app",
          body: { name, call_template: callTemplate },
        });
        return { status: 201, body: agent };
      },
    }),
  ];
}
