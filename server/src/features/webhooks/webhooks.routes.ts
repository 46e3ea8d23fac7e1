import { Type } from "typebox";
import type { ApiCaller } from "../../http/authentication.ts";
import type { ErrorCode } from "../../http/error-codes.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams, NoFields, pageFrom, pageQuery } from "../../http/schema.ts";
import { createSubscription, type SubscriptionDeps } from "./create-subscription.ts";
import { deleteSubscription } from "./delete-subscription.ts";
import { patchSubscription } from "./patch-subscription.ts";
import { listSubscriptions, readSubscription } from "./read-subscriptions.ts";
import {
  CreatedWebhook,
  DeletedWebhook,
  Webhook,
  WebhookCreate,
  WebhookPage,
  WebhookPatch,
} from "./webhooks.schema.ts";

/** What a target URL can be refused with, in the order of the checks. */
const targetErrors = [
  "malformed_url",
  "invalid_protocol",
  "https_required_in_production",
  "userinfo_not_allowed",
  "missing_host",
  "private_hostname",
  "private_ipv4",
  "private_ipv6",
  "dns_lookup_failed",
  "dns_no_records",
  "private_resolved_ipv4",
  "private_resolved_ipv6",
] as const satisfies readonly ErrorCode[];

export function webhooksRoutes(deps: SubscriptionDeps): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/webhooks",
      operationId: "listWebhooks",
      tag: "Webhooks",
      summary: "List webhook subscriptions with their health, newest first",
      access: "webhooks:manage",
      query: Type.Object(pageQuery),
      responses: { 200: { description: "A page of subscriptions", schema: WebhookPage } },
      async handle({ caller, query }) {
        const page = pageFrom(query);
        return { body: { data: await listSubscriptions(deps, caller.organizationId, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/webhooks",
      operationId: "createWebhook",
      tag: "Webhooks",
      summary: "Subscribe a URL to events",
      description: "Every call makes a new subscription with a secret of its own, which is shown only here.",
      access: "webhooks:manage",
      writes: "after_values",
      body: WebhookCreate,
      responses: { 201: { description: "The subscription and its secret", schema: CreatedWebhook } },
      errors: ["event_types_required", "unknown_event_type", ...targetErrors],
      async handle({ caller, body, refuseUnlessActive }) {
        const { organizationId } = caller;
        const input = { organizationId, body, refuseUnlessActive };
        return { status: 201, body: await createSubscription(deps, input) };
      },
    }),
    route({
      method: "GET",
      path: "/webhooks/:id",
      operationId: "readWebhook",
      tag: "Webhooks",
      summary: "Read a webhook subscription with its health",
      access: "webhooks:manage",
      params: IdParams,
      responses: { 200: { description: "The subscription", schema: Webhook } },
      async handle({ caller, params }) {
        return { body: await readSubscription(deps, caller.organizationId, params.id) };
      },
    }),
    route({
      method: "PATCH",
      path: "/webhooks/:id",
      operationId: "updateWebhook",
      tag: "Webhooks",
      summary: "Change, disable or enable a webhook subscription",
      access: "webhooks:manage",
      writes: "after_values",
      params: IdParams,
      body: WebhookPatch,
      responses: { 200: { description: "The subscription as changed", schema: Webhook } },
      errors: ["nothing_to_update", "event_types_required", "unknown_event_type", ...targetErrors],
      async handle({ caller, params, body, refuseUnlessActive }) {
        const input = { organizationId: caller.organizationId, id: params.id, body, refuseUnlessActive };
        return { body: await patchSubscription(deps, input) };
      },
    }),
    route({
      method: "DELETE",
      path: "/webhooks/:id",
      operationId: "deleteWebhook",
      tag: "Webhooks",
      summary: "Delete a webhook subscription",
      description: "Deliveries still queued for it are discarded.",
      access: "webhooks:manage",
      writes: true,
      params: IdParams,
      body: NoFields,
      responses: { 200: { description: "Deleted", schema: DeletedWebhook } },
      async handle({ caller, params }) {
        await deleteSubscription(deps, { organizationId: caller.organizationId, id: params.id });
        return { body: { id: params.id.toLowerCase(), deleted: true } };
      },
    }),
  ];
}
