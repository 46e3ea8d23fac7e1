import { errorResponses, errorSchema } from "./openapi-errors.ts";
import { documentedPath, operationOf, TOKEN_SCHEME } from "./openapi-operation.ts";
import { type Json, type JsonObject, schemaComponents } from "./openapi-schemas.ts";
import type { RouteDefinition } from "./route.ts";

export interface DocumentOptions {
  title: string;
  version: string;
  /** Markdown, shown before the endpoints. */
  description: string;
  servers: readonly { url: string; description: string }[];
  /** In the order of the document, with what stands under the heading. Every tag of a route must be here. */
  tags: Readonly<Record<string, string>>;
  securitySchemes: Readonly<Record<string, JsonObject>>;
  routes: readonly RouteDefinition<never>[];
  /** Routes outside the servers' prefix, with the server they are below. */
  rootRoutes?: { server: string; routes: readonly RouteDefinition<never>[] };
  /** An example by the name of a schema. */
  examples: Readonly<Record<string, Json>>;
  /** OpenAPI's `webhooks` and what they refer to. */
  webhooks?: { operations: JsonObject; schemas: JsonObject; parameters: JsonObject };
}

const headers: JsonObject = {
  "X-Request-Id": {
    description: "Made by the server for each request. Name it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  "X-RateLimit-Limit": {
    description: "Requests a minute that the key may make.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": {
    description: "Requests that the key may make at once after this one.",
    schema: { type: "integer" },
  },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
  "Idempotency-Replayed": {
    description:
      "`true` when this is the remembered answer to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
};

const parameters: JsonObject = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A name of your own for this request, 1 to 255 printable ASCII characters, best a fresh UUID. The answer is remembered " +
      "for 24 hours, and the same key with the same body gets it again instead of running a second time.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
};

const tokenScheme: JsonObject = {
  type: "http",
  scheme: "bearer",
  description: "The access token that came with the resource.",
};

/**
 * Makes an OpenAPI 3.1 document of routes: the same data that the server validates and serializes by, so that the two
 * can't disagree. The same routes make the same document.
 * @throws Error when a tag isn't described, an operation id is used twice, or two schemas share a name
 */
export function openApiDocument(options: DocumentOptions): JsonObject {
  const { rootRoutes } = options;
  const all = [...options.routes, ...(rootRoutes?.routes ?? [])];
  checkIds(all);
  const schemas = schemaComponents(options.examples);
  const errors = errorResponses(all);

  const paths: Record<string, JsonObject> = {};
  const document = (route: RouteDefinition<never>, server?: string) => {
    const path = documentedPath(route.path);
    paths[path] ??= server === undefined ? {} : { servers: [{ url: server }] };
    paths[path][route.method.toLowerCase()] = operationOf(route, schemas, errors);
  };
  const tags = Object.keys(options.tags);
  for (const route of byTag(options.routes, tags)) document(route);
  for (const route of byTag(rootRoutes?.routes ?? [], tags)) document(route, rootRoutes!.server);

  const responses = errors.responses();
  const usesKeys = options.routes.some((route) => route.idempotent);
  const usedTags = new Set(all.map((route) => route.tag));
  return {
    openapi: "3.1.0",
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: options.servers.map((server) => ({ ...server })),
    security: Object.keys(options.securitySchemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(options.tags)
      .filter(([name]) => usedTags.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...(options.webhooks ? { webhooks: options.webhooks.operations } : {}),
    components: {
      securitySchemes: {
        ...options.securitySchemes,
        ...(all.some((route) => route.access === "token") ? { [TOKEN_SCHEME]: tokenScheme } : {}),
      },
      ...(usesKeys || options.webhooks
        ? { parameters: { ...(usesKeys ? parameters : {}), ...options.webhooks?.parameters } }
        : {}),
      headers: usedHeaders(paths, responses),
      responses,
      schemas: { Error: errorSchema, ...schemas.components(), ...options.webhooks?.schemas },
      examples: errors.examples(),
    },
  };
}

function checkIds(routes: readonly RouteDefinition<never>[]): void {
  const ids = new Set<string>();
  for (const { operationId } of routes) {
    if (ids.has(operationId)) throw new Error(`Two operations have the id ${operationId}.`);
    ids.add(operationId);
  }
}

/** By tag, and in the order of the routes within one. */
function byTag(routes: readonly RouteDefinition<never>[], tags: readonly string[]): RouteDefinition<never>[] {
  const position = ({ tag, operationId }: RouteDefinition<never>) => {
    const index = tags.indexOf(tag);
    if (index === -1) throw new Error(`The tag "${tag}" of ${operationId} is not described.`);
    return index;
  };
  return [...routes].sort((a, b) => position(a) - position(b));
}

/** Those that an answer refers to. */
function usedHeaders(...parts: JsonObject[]): JsonObject {
  const text = JSON.stringify(parts);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}
