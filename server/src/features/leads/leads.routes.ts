import type { Database } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, pageFrom } from "../../http/schema.ts";
import { createLead } from "./create-lead.ts";
import type { LeadWriter } from "./lead-writer.ts";
import { Lead, LeadCreate, LeadListQuery, LeadPage, LeadPatch } from "./leads.schema.ts";
import { leadsCsvRoutes } from "./leads-csv.routes.ts";
import { canonicalPhoneNumber } from "./parsing/index.ts";
import { patchLead } from "./patch-lead.ts";
import { listLeads, readLead } from "./read-leads.ts";

export interface LeadsDeps extends OutboxDeps {
  database: Database;
  leadWriter: LeadWriter;
}

export function leadsRoutes(deps: LeadsDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/leads",
      operationId: "listLeads",
      tag: "Leads",
      summary: "List leads, newest first",
      access: "leads:read",
      query: LeadListQuery,
      responses: { 200: { description: "A page of leads", schema: LeadPage } },
      errors: ["invalid_phone_number", "campaign_not_found"],
      async handle({ caller, query }) {
        const page = pageFrom(query);
        const filter = {
          campaignId: query.campaign_id,
          phoneNumber:
            query.phone_number === undefined ? undefined : canonicalPhoneNumber(query.phone_number)!,
          status: query.status,
        };
        return { body: { data: await listLeads(deps, caller.organizationId, filter, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/leads",
      operationId: "createLead",
      tag: "Leads",
      summary: "Create a lead, or update the one with the same number",
      description:
        "A match overwrites the fields sent and keeps the others, except `status` and `consent_source`, which take their defaults (`new`, `public_api`) on every call.",
      access: "leads:write",
      writes: true,
      idempotent: true,
      body: LeadCreate,
      responses: {
        201: { description: "Inserted", schema: Lead },
        200: { description: "A lead with this number existed and was updated", schema: Lead },
      },
      errors: ["invalid_phone_number", "campaign_not_found"],
      async handle({ caller, body, remember }) {
        const { lead, inserted } = await createLead(
          deps,
          { organizationId: caller.organizationId, body },
          remember,
        );
        return { status: inserted ? 201 : 200, body: lead };
      },
    }),
    route({
      method: "GET",
      path: "/leads/:id",
      operationId: "readLead",
      tag: "Leads",
      summary: "Read a lead",
      access: "leads:read",
      params: IdParams,
      responses: { 200: { description: "The lead", schema: Lead } },
      async handle({ caller, params }) {
        return { body: await readLead(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "PATCH",
      path: "/leads/:id",
      operationId: "updateLead",
      tag: "Leads",
      summary: "Change a lead",
      access: "leads:write",
      writes: true,
      params: IdParams,
      body: LeadPatch,
      responses: { 200: { description: "The lead as changed", schema: Lead } },
      errors: ["nothing_to_update", "phone_number_immutable", "campaign_not_found"],
      async handle({ caller, params, body }) {
        return {
          body: await patchLead(deps, { organizationId: caller.organizationId, id: params.id, body }),
        };
      },
    }),
    ...leadsCsvRoutes(deps),
  ];
}
