import { Type } from "typebox";
import { API_VERSION } from "../../api-version.ts";
import type { Config } from "../../config.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { type RouteDefinition, routeFor } from "../../http/route.ts";

const Meta = Type.Object(
  {
    api: Type.String(),
    version: Type.String({ description: "The version of this contract" }),
    docs: Type.String({ format: "uri" }),
  },
  { "x-name": "Meta" },
);

/** What answers at the base address, and at the root of the public host too. */
export function metaRoutes(deps: { config: Config }): RouteDefinition<ApiCaller>[] {
  const route = routeFor<ApiCaller>();
  const body = { api: "Outreach API", version: API_VERSION, docs: `${deps.config.public.url}/docs` };
  return [
    route({
      method: "GET",
      path: "/",
      operationId: "readMeta",
      tag: "Meta and account",
      summary: "Name, version and documentation of this API",
      access: "public",
      responses: { 200: { description: "What this API is", schema: Meta } },
      async handle() {
        return { body };
      },
    }),
  ];
}
