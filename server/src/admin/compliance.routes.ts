import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import {
  ComplianceCheck,
  ComplianceQuery,
  callingRules,
  checkNumber,
  createDecideCall,
  loadRules,
} from "../features/compliance/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { parseIsoDateTime } from "../iso-date-time.ts";
import { OrganizationParams } from "./organization-params.ts";

/** Made at start: rules that can't be stop it. */
export function complianceRoutes(deps: { database: Database; clock: Clock }): RouteDefinition<Operator>[] {
  const decideCall = createDecideCall(loadRules(callingRules));
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/compliance/check",
      operationId: "checkCompliance",
      tag: "Compliance",
      summary: "Look whether an AI campaign might call a number, and by which rule",
      description:
        "Looks at the do-not-call list, the lead's status, the calls of the last 24 hours and the hours where the number is; not at the organization's wallet, numbers and voice.",
      access: "operator",
      params: OrganizationParams,
      query: ComplianceQuery,
      responses: { 200: { description: "The verdict", schema: ComplianceCheck } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ params, query }) {
        return {
          body: await checkNumber(
            { ...deps, decideCall },
            {
              organizationId: params.organization_id,
              phoneNumber: query.phone_number,
              at: query.at === undefined ? undefined : parseIsoDateTime(query.at)!.getTime(),
            },
          ),
        };
      },
    }),
  ];
}
