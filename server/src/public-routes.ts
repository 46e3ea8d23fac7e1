import type { AppDeps } from "./app-deps.ts";
import { accountRoutes } from "./features/account/index.ts";
import { agentsRoutes } from "./features/agents/index.ts";
import { appointmentsRoutes } from "./features/appointments/index.ts";
import { callCallbackRoutes } from "./features/call-callbacks/index.ts";
import { callsRoutes } from "./features/calls/index.ts";
import { campaignsRoutes } from "./features/campaigns/index.ts";
import { eventCatalogRoutes } from "./features/event-catalog/index.ts";
import { leadsRoutes } from "./features/leads/index.ts";
import { metaRoutes } from "./features/meta/index.ts";
import { recordingsRoutes } from "./features/recordings/index.ts";
import { referenceRoutes } from "./features/reference/index.ts";
import { textCallbackRoutes } from "./features/text-callbacks/index.ts";
import { unavailableRoutes } from "./features/unavailable/index.ts";
import { voicesRoutes } from "./features/voices/index.ts";
import { webhooksRoutes } from "./features/webhooks/index.ts";
import type { ApiCaller } from "./http/authentication.ts";
import type { RouteDefinition } from "./http/route.ts";

/** Every route of the public API, below `/v1` and its alias. */
export function publicRoutes(deps: AppDeps): RouteDefinition<ApiCaller>[] {
  return [
    ...metaRoutes(deps),
    ...accountRoutes(deps),
    ...eventCatalogRoutes(),
    ...leadsRoutes(deps),
    ...campaignsRoutes(deps),
    ...agentsRoutes(deps),
    ...callsRoutes(deps),
    ...recordingsRoutes(deps),
    ...voicesRoutes(deps),
    ...appointmentsRoutes(deps),
    ...webhooksRoutes(deps),
    ...textCallbackRoutes(deps),
    ...callCallbackRoutes(deps),
    ...unavailableRoutes(),
    ...referenceRoutes(deps),
  ];
}

/** Routes of the public port outside the prefixes. */
export function rootRoutes(deps: AppDeps): RouteDefinition<ApiCaller>[] {
  return [...metaRoutes(deps), ...referenceRoutes(deps)];
}
