import { Type } from "typebox";
import {
  addDncEntry,
  checkDncNumber,
  DncAdd,
  DncCheck,
  DncCheckQuery,
  type DncDeps,
  DncEntry,
  DncListQuery,
  DncNumber,
  DncPage,
  DncRemoved,
  listDncEntries,
  removeDncEntry,
} from "../features/dnc/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom, Uuid } from "../http/schema.ts";
import { OrganizationParams } from "./organization-params.ts";

export function dncRoutes(deps: DncDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/organizations/:organization_id/dnc",
      operationId: "listDncEntries",
      tag: "Do not call",
      summary: "List the numbers that must not be called, newest first",
      access: "operator",
      params: OrganizationParams,
      query: DncListQuery,
      responses: { 200: { description: "A page of entries", schema: DncPage } },
      errors: ["organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        return { body: { data: await listDncEntries(deps, params.organization_id, page), ...page } };
      },
    }),
    route({
      method: "POST",
      path: "/organizations/:organization_id/dnc",
      operationId: "addDncEntry",
      tag: "Do not call",
      summary: "Put a number on the list",
      description: "A number that is listed keeps its first entry, and the answer is that one.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: DncAdd,
      responses: {
        201: { description: "The new entry", schema: DncEntry },
        200: { description: "The number was listed: its first entry", schema: DncEntry },
      },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ caller, params, body }) {
        const { entry, added } = await addDncEntry(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          phoneNumber: body.phone_number,
          reason: body.reason,
        });
        return { status: added ? 201 : 200, body: entry };
      },
    }),
    route({
      method: "GET",
      path: "/organizations/:organization_id/dnc/check",
      operationId: "checkDncNumber",
      tag: "Do not call",
      summary: "Look whether a number is on the list",
      access: "operator",
      params: OrganizationParams,
      query: DncCheckQuery,
      responses: { 200: { description: "What the list says of it", schema: DncCheck } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ params, query }) {
        return { body: await checkDncNumber(deps, params.organization_id, query.phone_number) };
      },
    }),
    route({
      method: "DELETE",
      path: "/organizations/:organization_id/dnc/:phone_number",
      operationId: "removeDncEntry",
      tag: "Do not call",
      summary: "Take a number off the list",
      access: "operator",
      writes: true,
      params: Type.Object({ organization_id: Uuid, phone_number: DncNumber }),
      responses: { 200: { description: "It is gone", schema: DncRemoved } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ caller, params }) {
        return {
          body: await removeDncEntry(deps, {
            organizationId: params.organization_id,
            actor: caller.actor,
            phoneNumber: params.phone_number,
          }),
        };
      },
    }),
  ];
}
