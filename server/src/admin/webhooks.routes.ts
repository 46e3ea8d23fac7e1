import { Type } from "typebox";
import type { AppDeps } from "../app-deps.ts";
import { readOrganization } from "../features/organizations/index.ts";
import {
  DeliveryDetails,
  listSubscriptions,
  pingSubscription,
  ReplayedDeadLetters,
  replayDeadLetters,
  WebhookPage,
} from "../features/webhooks/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields, pageFrom, pageQuery } from "../http/schema.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function webhooksAdminRoutes(
  deps: Pick<AppDeps, "database" | "clock" | "newId" | "deliveriesQueued">,
): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/webhooks";
  return [
    route({
      method: "GET",
      path,
      operationId: "listWebhooks",
      tag: "Webhooks",
      summary: "List an organization's webhook subscriptions with their health, newest first",
      access: "operator",
      params: OrganizationParams,
      query: Type.Object(pageQuery),
      responses: { 200: { description: "A page of subscriptions", schema: WebhookPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        await readOrganization(deps, params.organization_id);
        const page = pageFrom(query);
        return { body: { data: await listSubscriptions(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/ping`,
      operationId: "pingWebhook",
      tag: "Webhooks",
      summary: "Send a test event to one subscription",
      description:
        "An event of type `webhook.test`, signed, retried and logged as any other. Answers the delivery as it was queued. `conflict` when the subscription is disabled.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 201: { description: "The delivery", schema: DeliveryDetails } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        const { organization_id: organizationId, id } = params;
        await readOrganization(deps, organizationId);
        return {
          status: 201,
          body: await pingSubscription(deps, { organizationId, id, actor: caller.actor }),
        };
      },
    }),
    route({
      method: "POST",
      path: `${path}/:id/replay-dead-letters`,
      operationId: "replayDeadLetters",
      tag: "Webhooks",
      summary: "Queue a subscription's dead letters again",
      description: "`conflict` when the subscription is disabled.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 200: { description: "How many", schema: ReplayedDeadLetters } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params }) {
        const { organization_id: organizationId, id: subscriptionId } = params;
        await readOrganization(deps, organizationId);
        return {
          body: await replayDeadLetters(deps, { organizationId, subscriptionId, actor: caller.actor }),
        };
      },
    }),
  ];
}
