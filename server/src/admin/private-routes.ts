import type { AppDeps } from "../app-deps.ts";
import type { Operator } from "../http/operator-guard.ts";
import type { RouteDefinition } from "../http/route.ts";

/** Every route of the private API, below `/private/v1`. */
export function privateRoutes(_deps: AppDeps): RouteDefinition<Operator>[] {
  return [];
}
