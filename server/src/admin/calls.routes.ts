import type { AppDeps } from "../app-deps.ts";
import {
  CallDetails,
  CallPage,
  filterFrom,
  hangupCall,
  listCalls,
  OperatorCallListQuery,
  readCallDetails,
} from "../features/calls/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields, pageFrom } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function callsAdminRoutes(deps: AppDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/calls";
  return [
    route({
      method: "GET",
      path,
      operationId: "listCalls",
      tag: "Calls",
      summary: "Calls, newest first",
      access: "operator",
      params: OrganizationParams,
      query: OperatorCallListQuery,
      responses: { 200: { description: "A page of calls", schema: CallPage } },
      errors: ["organization_not_found", "campaign_not_found", "lead_not_found"],
      async handle({ params: { organization_id: organizationId }, query }) {
        await readOrganization(deps, organizationId);
        const page = pageFrom(query);
        const filter = { ...filterFrom(query), live: query.live };
        return { body: { data: await listCalls(deps, organizationId, filter, page), ...page } };
      },
    }),
    route({
      method: "GET",
      path: `${path}/:id`,
      operationId: "readCall",
      tag: "Calls",
      summary: "Read a call with its transcript, transfers, ledger entries and verdict",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The call", schema: CallDetails } },
      errors: ["organization_not_found"],
      async handle({ params: { organization_id: organizationId, id } }) {
        await readOrganization(deps, organizationId);
        return { body: await readCallDetails(deps, organizationId, id) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/hangup`,
      operationId: "hangUpCall",
      tag: "Calls",
      summary: "End a live call",
      description: "Answers once it has ended. One that isn't answered yet is canceled.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 200: { description: "The call, ended", schema: CallDetails } },
      errors: ["organization_not_found", "call_already_ended", "hangup_failed"],
      async handle({ caller, params: { organization_id: organizationId, id } }) {
        await readOrganization(deps, organizationId);
        const reason = `hung up by ${caller.actor}`;
        await hangupCall(deps, { organizationId, id, reason, ringing: "cancel" });
        return { body: await readCallDetails(deps, organizationId, id) };
      },
    }),
  ];
}
