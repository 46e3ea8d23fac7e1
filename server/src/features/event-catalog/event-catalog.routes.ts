import { Type } from "typebox";
import { eventCatalog } from "../../events/catalog.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";
import { oneOf } from "../../http/schema.ts";

const EventCatalog = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          type: Type.String(),
          description: Type.String(),
          status: oneOf(["active", "reserved"], { description: "Reserved types are never emitted" }),
          data_fields: Type.Array(Type.String(), { description: "Every field that `data` can have" }),
        },
        { "x-name": "EventType" },
      ),
    ),
  },
  { "x-name": "EventCatalog" },
);

export function eventCatalogRoutes(): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  return [
    route({
      method: "GET",
      path: "/event-catalog",
      operationId: "readEventCatalog",
      tag: "Webhooks",
      summary: "The event types that webhooks can subscribe to",
      access: "any_key",
      responses: { 200: { description: "All event types", schema: EventCatalog } },
      async handle() {
        return { body: { data: eventCatalog } };
      },
    }),
  ];
}
