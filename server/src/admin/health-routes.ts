import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import type { Metrics } from "../metrics/metrics.ts";

export interface HealthDeps {
  /** True when the database answers and every migration is applied. */
  isReady(): Promise<boolean>;
  /** True once every port is bound and what a first start makes is there. */
  hasStarted(): boolean;
  /** True once the service takes no new work: a load balancer sends it none. */
  isDraining(): boolean;
  metrics: Pick<Metrics, "render" | "contentType">;
}

/** For load balancers and supervisors: no token, on the private port only. */
export function healthRoutes(deps: HealthDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/healthz",
      operationId: "health",
      tag: "Health",
      summary: "The process is up",
      access: "public",
      responses: { 200: { description: "Up" } },
      async handle() {
        return { body: { status: "up" } };
      },
    }),
    route({
      method: "GET",
      path: "/readyz",
      operationId: "ready",
      tag: "Health",
      summary:
        "The service has started, its database answers, migrations are applied, and it isn't being stopped",
      access: "public",
      responses: { 200: { description: "Ready" }, 503: { description: "Not ready" } },
      async handle() {
        if (deps.isDraining())
          return { status: 503, body: { status: "not_ready", reason: "the service is draining" } };
        if (!deps.hasStarted())
          return { status: 503, body: { status: "not_ready", reason: "the service is starting" } };
        const ready = await deps.isReady().catch(() => null);
        if (ready) return { body: { status: "ready" } };
        const reason = ready === null ? "the database does not answer" : "migrations are not applied";
        return { status: 503, body: { status: "not_ready", reason } };
      },
    }),
    route({
      method: "GET",
      path: "/metrics",
      operationId: "metrics",
      tag: "Health",
      summary: "Figures of this process and its queue, as Prometheus text",
      access: "public",
      responses: { 200: { description: "Prometheus text", mediaType: "text/plain" } },
      async handle() {
        return { body: await deps.metrics.render(), contentType: deps.metrics.contentType };
      },
    }),
  ];
}
