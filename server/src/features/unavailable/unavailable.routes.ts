import { DomainError } from "../../domain-error.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type Answer, type RouteDefinition, routeFor } from "../../http/route.ts";
import { IdParams } from "../../http/schema.ts";
import { Contact, ContactCreate, ContactPage, Deal, DealPage, DealPatch } from "./unavailable.schema.ts";

/** Contacts and deals: the shapes they are meant to have, and 501 once the key and its scope are found good. */
export function unavailableRoutes(): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const unavailable = {
    unavailable: true,
    description: "Not available yet: answers `501 feature_unavailable`. The shapes are drafts.",
    errors: ["feature_unavailable"],
    // `unavailable` answers before this runs.
    async handle(): Promise<Answer> {
      throw new DomainError("feature_unavailable", "This part of the API isn't available yet.");
    },
  } as const;
  return [
    route({
      ...unavailable,
      method: "GET",
      path: "/contacts",
      operationId: "listContacts",
      tag: "Contacts and deals",
      summary: "List contacts (unavailable)",
      access: "contacts:read",
      responses: { 200: { description: "A page of contacts", schema: ContactPage } },
    }),
    route({
      ...unavailable,
      method: "POST",
      path: "/contacts",
      operationId: "createContact",
      tag: "Contacts and deals",
      summary: "Create a contact (unavailable)",
      access: "contacts:write",
      writes: true,
      body: ContactCreate,
      responses: { 201: { description: "The contact", schema: Contact } },
    }),
    route({
      ...unavailable,
      method: "GET",
      path: "/deals",
      operationId: "listDeals",
      tag: "Contacts and deals",
      summary: "List deals (unavailable)",
      access: "deals:read",
      responses: { 200: { description: "A page of deals", schema: DealPage } },
    }),
    route({
      ...unavailable,
      method: "PATCH",
      path: "/deals/:id",
      operationId: "updateDeal",
      tag: "Contacts and deals",
      summary: "Change a deal's status or stage (unavailable)",
      access: "deals:write",
      writes: true,
      params: IdParams,
      body: DealPatch,
      responses: { 200: { description: "The deal", schema: Deal } },
    }),
  ];
}
