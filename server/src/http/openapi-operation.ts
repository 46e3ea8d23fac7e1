import type { ErrorResponses } from "./openapi-errors.ts";
import type { Json, JsonObject, ObjectSchema, SchemaComponents } from "./openapi-schemas.ts";
import type { RouteDefinition } from "./route.ts";

/** `/leads/:id` as OpenAPI writes it: `/leads/{id}`. */
export function documentedPath(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** The security scheme of routes whose credential is a token of their own. */
export const TOKEN_SCHEME = "accessToken";

/** A route as an OpenAPI operation. */
export function operationOf(
  route: RouteDefinition<never>,
  schemas: SchemaComponents,
  errors: ErrorResponses,
): JsonObject {
  const parameters = [
    ...parametersOf("path", route.params, schemas),
    ...parametersOf("query", route.query, schemas),
    ...(route.idempotent ? [{ $ref: "#/components/parameters/Idempotency-Key" }] : []),
  ];
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, accessNote(route)].filter(Boolean).join("\n\n"),
    ...(route.access === "public" || route.access === "signature" ? { security: [] } : {}),
    ...(route.access === "token" ? { security: [{ [TOKEN_SCHEME]: [] }] } : {}),
    ...(isScope(route.access) ? { "x-required-scope": route.access } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.rawBody ? { requestBody: rawBodyOf(route.rawBody, schemas) } : {}),
    ...(hasFields(route.body) ? { requestBody: bodyOf(route.body, schemas) } : {}),
    responses: { ...successesOf(route, schemas), ...errors.responsesOf(route) },
  };
}

function isScope(access: string): boolean {
  return access.includes(":");
}

function accessNote({ access, idempotent }: RouteDefinition<never>): string {
  const note =
    access === "public"
      ? "No authentication."
      : access === "any_key"
        ? "Any valid key."
        : access === "token"
          ? "The token is the credential: no API key."
          : access === "signature"
            ? "The carrier's signature is the credential: no API key."
            : isScope(access)
              ? `Required scope: \`${access}\`.`
              : "";
  return idempotent ? `${note} Takes an \`Idempotency-Key\`.` : note;
}

function parametersOf(
  place: "path" | "query",
  schema: ObjectSchema | undefined,
  schemas: SchemaComponents,
): Json[] {
  if (!schema) return [];
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description, ...published } = schemas.publish(property);
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: published,
    };
  });
}

function hasFields(body: ObjectSchema | undefined): body is ObjectSchema {
  return body !== undefined && Object.keys(body.properties ?? {}).length > 0;
}

function bodyOf(schema: ObjectSchema, schemas: SchemaComponents): JsonObject {
  const required = (schema.required ?? []).length > 0;
  return { required, content: { "application/json": { schema: schemas.publish(schema) } } };
}

function rawBodyOf(
  { mediaType, schema }: NonNullable<RouteDefinition["rawBody"]>,
  schemas: SchemaComponents,
): JsonObject {
  return { required: true, content: { [mediaType]: { schema: schemas.publish(schema) } } };
}

function successesOf(route: RouteDefinition<never>, schemas: SchemaComponents): JsonObject {
  const names = ["X-Request-Id"];
  if (!["public", "token", "signature", "operator"].includes(route.access))
    names.push("X-RateLimit-Limit", "X-RateLimit-Remaining");
  if (route.idempotent) names.push("Idempotency-Replayed");
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, { description, schema, mediaType }]) => {
      const content = schema
        ? { [mediaType ?? "application/json"]: { schema: schemas.publish(schema) } }
        : mediaType
          ? { [mediaType]: { schema: { type: "string" } } }
          : null;
      return [status, { description, headers, ...(content ? { content } : {}) }];
    }),
  );
}
