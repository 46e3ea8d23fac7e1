import type { Database } from "../database/database.ts";
import { AuditListQuery, AuditPage, listAudit } from "../features/audit/index.ts";
import { readOrganization } from "../features/organizations/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationParams } from "./organization-params.ts";

export function auditRoutes(deps: { database: Database }): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/audit",
      operationId: "listAudit",
      tag: "Audit",
      summary: "List what was done to an organization, newest first",
      access: "operator",
      params: OrganizationParams,
      query: AuditListQuery,
      responses: { 200: { description: "A page of the audit log", schema: AuditPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        // The log itself can't tell: every organization's begins with its creation, but pages may be empty.
        const { id } = await readOrganization(deps, params.organization_id);
        const filter = { subjectType: query.subject_type, action: query.action };
        return { body: { data: await listAudit(deps, id, filter, page), ...page } };
      },
    }),
  ];
}
