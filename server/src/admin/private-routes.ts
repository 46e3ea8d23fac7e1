import type { AppDeps } from "../app-deps.ts";
import type { Operator } from "../http/operator-guard.ts";
import type { RouteDefinition } from "../http/route.ts";
import { campaignsAdminRoutes } from "./campaigns.routes.ts";

/** Every route of the private API, below `/private/v1`. */
export function privateRoutes(deps: AppDeps): RouteDefinition<Operator>[] {
  return [...campaignsAdminRoutes(deps)];
}
