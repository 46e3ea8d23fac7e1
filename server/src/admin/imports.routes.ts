import type { Database } from "../database/database.ts";
import {
  ImportJobPage,
  ImportJobWithRows,
  ImportListQuery,
  ImportRowsQuery,
  listImports,
  readImport,
} from "../features/leads/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function importsRoutes(deps: { database: Database }): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/imports",
      operationId: "listImports",
      tag: "Imports",
      summary: "List an organization's import jobs, newest first",
      access: "operator",
      params: OrganizationParams,
      query: ImportListQuery,
      responses: { 200: { description: "A page of jobs", schema: ImportJobPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const organization = await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        return { body: { data: await listImports(deps, organization.id, page), ...page } };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:organization_id/imports/:id",
      operationId: "readImport",
      tag: "Imports",
      summary: "Read an import job with its row errors and warnings",
      access: "operator",
      params: OrganizationItemParams,
      query: ImportRowsQuery,
      responses: { 200: { description: "The job", schema: ImportJobWithRows } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const organization = await readOrganization(deps, params.organization_id);
        const page = { limit: query.limit ?? 1000, offset: query.offset ?? 0 };
        return { body: await readImport(deps, organization.id, params.id, page) };
      },
    }),
  ];
}
