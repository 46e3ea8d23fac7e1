import type { AppDeps } from "../app-deps.ts";
import { readOrganization } from "../features/organizations/index.ts";
import {
  DeliveryDetails,
  DeliveryListQuery,
  DeliveryPage,
  listDeliveries,
  readDelivery,
  replayDelivery,
} from "../features/webhooks/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields, pageFrom } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function deliveriesRoutes(
  deps: Pick<AppDeps, "database" | "clock" | "newId" | "deliveriesQueued">,
): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/deliveries";
  return [
    route({
      method: "GET",
      path,
      operationId: "listDeliveries",
      tag: "Deliveries",
      summary: "The webhook delivery log, newest first",
      access: "operator",
      params: OrganizationParams,
      query: DeliveryListQuery,
      responses: { 200: { description: "A page of deliveries", schema: DeliveryPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        const filter = { subscriptionId: query.subscription_id, state: query.state };
        return { body: { data: await listDeliveries(deps, params.organization_id, filter, page), ...page } };
      },
    }),
    route({
      method: "GET",
      path: `${path}/:id`,
      operationId: "readDelivery",
      tag: "Deliveries",
      summary: "Read a delivery with what is sent and every attempt",
      access: "operator",
      params: OrganizationItemParams,
      responses: { 200: { description: "The delivery", schema: DeliveryDetails } },
      errors: ["organization_not_found"],
      async handle({ params }) {
        await readOrganization(deps, params.organization_id);
        return { body: await readDelivery(deps, params.organization_id, params.id) };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/replay`,
      operationId: "replayDelivery",
      tag: "Deliveries",
      summary: "Queue a finished delivery again",
      description:
        "Due at once, with the whole retry schedule before it; the event's id stays. `conflict` when it is still queued, or its subscription is disabled or deleted.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 200: { description: "The delivery as it is queued", schema: DeliveryDetails } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        return { body: await replayDelivery(deps, { organizationId, id, actor: caller.actor }) };
      },
    }),
  ];
}
