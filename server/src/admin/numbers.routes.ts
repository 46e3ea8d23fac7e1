import {
  addNumber,
  listNumbers,
  NumberAdd,
  NumberListQuery,
  NumberPage,
  NumberParams,
  type NumbersDeps,
  OwnedNumber,
  RemovedNumber,
  removeNumber,
} from "../features/numbers/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { pageFrom } from "../http/schema.ts";
import { OrganizationParams } from "./organization-params.ts";

export function numbersRoutes(deps: NumbersDeps): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  const path = "/organizations/:organization_id/numbers";
  return [
    route({
      method: "GET",
      path,
      operationId: "listPhoneNumbers",
      tag: "Numbers",
      summary: "List the organization's numbers, newest first",
      access: "operator",
      params: OrganizationParams,
      query: NumberListQuery,
      responses: { 200: { description: "A page of numbers", schema: NumberPage } },
      errors: ["invalid_phone_number", "organization_not_found"],
      async handle({ params, query }) {
        const page = pageFrom(query);
        const data = await listNumbers(deps, params.organization_id, query.phone_number, page);
        return { body: { data, ...page } };
      },
    }),
    route({
      method: "POST",
      path,
      operationId: "addPhoneNumber",
      tag: "Numbers",
      summary: "Give the organization a number",
      description:
        "A number that the organization has stays as it is. A sandbox can't have numbers, and a number can't have two carriers.",
      access: "operator",
      writes: true,
      params: OrganizationParams,
      body: NumberAdd,
      responses: {
        201: { description: "The new number", schema: OwnedNumber },
        200: { description: "The organization had the number", schema: OwnedNumber },
      },
      errors: ["invalid_phone_number", "organization_not_found", "conflict"],
      async handle({ caller, params, body }) {
        const { number, added } = await addNumber(deps, {
          organizationId: params.organization_id,
          actor: caller.actor,
          phoneNumber: body.phone_number,
          carrier: body.carrier,
        });
        return { status: added ? 201 : 200, body: number };
      },
    }),
    route({
      method: "DELETE",
      path: `${path}/:phone_number`,
      operationId: "removePhoneNumber",
      tag: "Numbers",
      summary: "Take a number from the organization",
      description: "A number that an agent holds can't be removed.",
      access: "operator",
      writes: true,
      params: NumberParams,
      responses: { 200: { description: "It is gone", schema: RemovedNumber } },
      errors: ["invalid_phone_number", "organization_not_found", "conflict"],
      async handle({ caller, params }) {
        return {
          body: await removeNumber(deps, {
            organizationId: params.organization_id,
            actor: caller.actor,
            phoneNumber: params.phone_number,
          }),
        };
      },
    }),
  ];
}
