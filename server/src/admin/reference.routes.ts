import type { Config } from "../config.ts";
import { answerText, readDocument } from "../features/reference/index.ts";
import type { Operator } from "../http/operator-guard.ts";
import { type RouteDefinition, routeFor } from "../http/route.ts";
import { shippedFiles } from "../shipped-files.ts";

/** The private API's own document. */
export function referenceAdminRoutes(deps: { config: Pick<Config, "public"> }): RouteDefinition<Operator>[] {
  const route = routeFor<Operator>();
  return [
    route({
      method: "GET",
      path: "/openapi.yaml",
      operationId: "readOpenApiDocument",
      tag: "Reference",
      summary: "This document",
      access: "operator",
      responses: {
        200: { description: "The OpenAPI document of the private API", mediaType: "application/yaml" },
        304: { description: "The client has it already (`If-None-Match`)" },
      },
      errors: ["spec_unavailable"],
      async handle({ headers }) {
        const text = await readDocument(
          shippedFiles.privateOpenapi,
          deps.config.public.url,
          "spec_unavailable",
        );
        return answerText(headers, text, "application/yaml");
      },
    }),
  ];
}
