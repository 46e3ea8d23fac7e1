import {
  ApiKey,
  ApiKeyCreate,
  ApiKeyListQuery,
  ApiKeyPage,
  ApiKeyRotate,
  type ChangeKeyDeps,
  createKey,
  IssuedApiKey,
  listKeys,
  revokeKey,
  rotateKey,
} from "../features/api-keys/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { NoFields, pageFrom } from "../http/schema.ts";
import { parseIsoDateTime } from "../iso-date-time.ts";
import { OrganizationItemParams, OrganizationParams } from "./organization-params.ts";

export function keysRoutes(deps: ChangeKeyDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/keys",
      operationId: "listKeys",
      tag: "Keys",
      summary: "List an organization's keys, newest first",
      description: "Revoked and expired ones too. A key's text is never shown again.",
      access: "operator",
      params: OrganizationParams,
      query: ApiKeyListQuery,
      responses: { 200: { description: "A page of keys", schema: ApiKeyPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        return { body: { data: await listKeys(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/keys",
      operationId: "createKey",
      tag: "Keys",
      summary: "Create a key",
      description: "The answer is the only time that the key's text is shown.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: ApiKeyCreate,
      responses: { 201: { description: "The key, with its text", schema: IssuedApiKey } },
      errors: ["unknown_scope", "organization_not_found"],
      async handle({ caller, params, body }) {
        const issued = await createKey(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          name: body.name,
          scopes: body.scopes,
          rateLimitPerMinute: body.rate_limit_per_minute,
          expiresAt: body.expires_at ? parseIsoDateTime(body.expires_at)?.getTime() : null,
        });
        return { status: 201, body: issued };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/keys/:id/revoke",
      operationId: "revokeKey",
      tag: "Keys",
      summary: "Revoke a key",
      description:
        "It stops at once, also while a rotation's overlap runs. A key that is revoked stays as it is.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: NoFields,
      responses: { 200: { description: "The key", schema: ApiKey } },
      errors: ["organization_not_found"],
      async handle({ caller, params }) {
        return {
          body: await revokeKey(deps, {
            organizationId: params.organization_id,
            keyId: params.id,
            actor: caller.actor,
          }),
        };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/keys/:id/rotate",
      operationId: "rotateKey",
      tag: "Keys",
      summary: "Rotate a key",
      description:
        "Makes a new key with the same name, scopes, rate limit and expiry. The old one stops at once, or when the overlap ends. A key that is revoked or expired, or was rotated before, is a `conflict`.",
      access: "operator",
      writes: true,
      params: OrganizationItemParams,
      body: ApiKeyRotate,
      responses: { 201: { description: "The new key, with its text", schema: IssuedApiKey } },
      errors: ["organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        const issued = await rotateKey(deps, {
          organizationId: params.organization_id,
          keyId: params.id,
          actor: caller.actor,
          overlapMinutes: body.overlap_minutes,
        });
        return { status: 201, body: issued };
      },
    }),
  ];
}
