import type { AppDeps } from "../app-deps.ts";
import type { Operator } from "../http/operator-guard.ts";
import type { RouteDefinition } from "../http/route.ts";
import { agentsAdminRoutes } from "./agents.routes.ts";
import { appointmentsAdminRoutes } from "./appointments.routes.ts";
import { auditRoutes } from "./audit.routes.ts";
import { browserCallsRoutes } from "./browser-calls.routes.ts";
import { callsAdminRoutes } from "./calls.routes.ts";
import { campaignLeadsRoutes } from "./campaign-leads.routes.ts";
import { campaignsAdminRoutes } from "./campaigns.routes.ts";
import { complianceRoutes } from "./compliance.routes.ts";
import { deliveriesRoutes } from "./deliveries.routes.ts";
import { dncRoutes } from "./dnc.routes.ts";
import { importsRoutes } from "./imports.routes.ts";
import { keysRoutes } from "./keys.routes.ts";
import { membersRoutes } from "./members.routes.ts";
import { numbersRoutes } from "./numbers.routes.ts";
import { optOutsRoutes } from "./opt-outs.routes.ts";
import { organizationsRoutes } from "./organizations.routes.ts";
import { referenceAdminRoutes } from "./reference.routes.ts";
import { trunksRoutes } from "./trunks.routes.ts";
import { walletRoutes } from "./wallet.routes.ts";
import { webhooksAdminRoutes } from "./webhooks.routes.ts";

/** Every route of the private API, below `/private/v1`. */
export function privateRoutes(deps: AppDeps): RouteDefinition<Operator>[] {
  return [
    ...organizationsRoutes(deps),
    ...keysRoutes(deps),
    ...membersRoutes(deps),
    ...auditRoutes(deps),
    ...walletRoutes(deps),
    ...dncRoutes(deps),
    ...optOutsRoutes(deps),
    ...complianceRoutes(deps),
    ...numbersRoutes(deps),
    ...trunksRoutes(deps),
    ...agentsAdminRoutes(deps),
    ...appointmentsAdminRoutes(deps),
    ...campaignsAdminRoutes(deps),
    ...campaignLeadsRoutes(deps),
    ...callsAdminRoutes(deps),
    ...browserCallsRoutes(deps),
    ...importsRoutes(deps),
    ...webhooksAdminRoutes(deps),
    ...deliveriesRoutes(deps),
    ...referenceAdminRoutes(deps),
  ];
}
