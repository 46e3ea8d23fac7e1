import {
  createOrganization,
  listOrganizations,
  Organization,
  OrganizationCreate,
  OrganizationListQuery,
  OrganizationPage,
  OrganizationPatch,
  readOrganization,
  type UpdateOrganizationDeps,
  updateOrganization,
} from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { IdParams, pageFrom } from "../http/schema.ts";

export function organizationsRoutes(deps: UpdateOrganizationDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations",
      operationId: "listOrganizations",
      tag: "Organizations",
      summary: "List organizations, newest first",
      access: "operator",
      query: OrganizationListQuery,
      responses: { 200: { description: "A page of organizations", schema: OrganizationPage } },
      async handle({ query }) {
        const page = pageFrom(query);
        return { body: { data: await listOrganizations(deps, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations",
      operationId: "createOrganization",
      tag: "Organizations",
      summary: "Create an organization",
      description: "An opening balance goes through the ledger. A sandbox's voice is off for good.",
      access: "operator",
      writes: true,
      body: OrganizationCreate,
      responses: { 201: { description: "The organization", schema: Organization } },
      async handle({ caller, body }) {
        const organization = await createOrganization(deps, {
          actor: caller.actor,
          name: body.name,
          sandbox: body.sandbox,
          balanceTokens: body.balance_tokens,
          concurrencyLimit: body.concurrency_limit,
          lowBalanceThreshold: body.low_balance_threshold,
          phoneRatePerMinute: body.phone_rate_per_minute,
          browserRatePerMinute: body.browser_rate_per_minute,
          timezone: body.timezone,
        });
        return { status: 201, body: organization };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:id",
      operationId: "readOrganization",
      tag: "Organizations",
      summary: "Read an organization",
      access: "operator",
      params: IdParams,
      responses: { 200: { description: "The organization", schema: Organization } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        return { body: await readOrganization(deps, params.id) };
      },
    }),
    route({
      method: "PATCH",
      path: "/organizations/:id",
      operationId: "updateOrganization",
      tag: "Organizations",
      summary: "Change an organization",
      description:
        "A threshold raised to the balance or past it reports `billing.low_balance` at once. Switching a sandbox's voice on is a `conflict`.",
      access: "operator",
      writes: true,
      params: IdParams,
      body: OrganizationPatch,
      responses: { 200: { description: "The organization as changed", schema: Organization } },
      errors: ["nothing_to_update", "organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        return {
          body: await updateOrganization(deps, {
            organizationId: params.id,
            actor: caller.actor,
            changes: body,
          }),
        };
      },
    }),
  ];
}
