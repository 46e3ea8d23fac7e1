import type { AppDeps } from "./app-deps.ts";
import { leadsRoutes } from "./features/leads/index.ts";
import type { ApiCaller } from "./http/authentication.ts";
import type { RouteDefinition } from "./http/route.ts";

/** Every route of the public API, below `/v1` and its alias. */
export function publicRoutes(deps: AppDeps): RouteDefinition<ApiCaller>[] {
  return [...leadsRoutes(deps)];
}

/** Routes of the public port outside the prefixes. */
export function rootRoutes(_deps: AppDeps): RouteDefinition<ApiCaller>[] {
  return [];
}
