import { stringify } from "yaml";
import { healthRoutes } from "../admin/health-routes.ts";
import { privateRoutes } from "../admin/private-routes.ts";
import { API_VERSION } from "../api-version.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { JsonObject } from "../http/openapi-schemas.ts";
import { webhookOperations } from "../http/openapi-webhooks.ts";
import { publicRoutes } from "../public-routes.ts";
import { examples } from "./examples.ts";
import { privateIntroduction, publicIntroduction } from "./introduction.ts";
import { placeholder, placeholderDeps } from "./placeholder-deps.ts";
import { privateTags, publicTags } from "./tags.ts";

/** The public address that the committed document names; the service puts its own in its place. */
const PLACEHOLDER_URL = "http://localhost:8080";

const GENERATED = "Generated from the route schemas by `npm run generate`. Do not edit.";

export interface ApiDocument {
  /** Its place in the repository. */
  file: string;
  document: JsonObject;
  text: string;
  operations: number;
}

/** Both OpenAPI documents, made of the routes that the service serves. Needs no database and starts nothing. */
export function apiDocuments(): ApiDocument[] {
  return [write("openapi/openapi.yaml", publicDocument()), write("openapi/private.yaml", privateDocument())];
}

function publicDocument(): JsonObject {
  return openApiDocument({
    title: "Outreach API",
    version: API_VERSION,
    description: publicIntroduction,
    servers: [
      { url: `${PLACEHOLDER_URL}/v1`, description: "This service" },
      { url: `${PLACEHOLDER_URL}/public/v1`, description: "The earlier form of the same paths" },
    ],
    tags: publicTags,
    securitySchemes: {
      apiKey: { type: "http", scheme: "bearer", description: "The API key as a Bearer token." },
      apiKeyHeader: {
        type: "apiKey",
        in: "header",
        name: "X-Service-Api-Key",
        description: "The API key, for clients that can't set `Authorization`.",
      },
    },
    routes: publicRoutes(placeholderDeps()),
    examples,
    webhooks: webhookOperations("Webhooks"),
  });
}

function privateDocument(): JsonObject {
  return openApiDocument({
    title: "Outreach private API",
    version: API_VERSION,
    description: privateIntroduction,
    servers: [{ url: "/private/v1", description: "The private port of this service" }],
    tags: privateTags,
    securitySchemes: {
      operatorToken: { type: "http", scheme: "bearer", description: "The operator token." },
    },
    routes: privateRoutes(placeholderDeps()),
    rootRoutes: {
      server: "/",
      routes: healthRoutes(placeholder("health")),
    },
    examples: {},
  });
}

function write(file: string, document: JsonObject): ApiDocument {
  // Long lines are left whole: folded text changes many lines of the file for one word.
  const text = `# ${GENERATED}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
  const operations = Object.values(document.paths as Record<string, JsonObject>)
    .flatMap((path) => Object.keys(path))
    .filter((key) => ["get", "post", "patch", "put", "delete"].includes(key)).length;
  return { file, document, text, operations };
}
