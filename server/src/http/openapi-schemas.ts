import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";

/** JSON as it stands in a document. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A schema of an object, as TypeBox makes it. */
export type ObjectSchema = TSchema & {
  properties?: Record<string, TSchema>;
  required?: string[];
  additionalProperties?: unknown;
};

/** Formats that JSON Schema or OpenAPI define. */
const STANDARD_FORMATS: ReadonlySet<Json> = new Set(["uuid", "date-time", "date", "email", "uri", "binary"]);
/** What a format of our own is to the reader of a document. The others say more than the service asks for. */
const PUBLIC_FORMATS: ReadonlyMap<Json, string> = new Map([["email-address", "email"]]);

export interface SchemaComponents {
  /** The schema as it stands in the document: named parts as references, our own keywords for the validator left out. */
  publish(schema: TSchema): JsonObject;
  /** Every named schema met so far, by name in alphabetical order. */
  components(): JsonObject;
}

/**
 * Collects the schemas that have a name (`x-name`), and puts references in their place.
 * @param examples an example by the name of a schema, for the component of that name
 * @throws Error when two different schemas have one name
 */
export function schemaComponents(examples: Readonly<Record<string, Json>>): SchemaComponents {
  const named = new Map<string, JsonObject>();

  const refer = (name: string, schema: JsonObject): JsonObject => {
    const example = examples[name];
    const component = example === undefined ? schema : { ...schema, examples: [example] };
    const known = named.get(name);
    if (known && !isDeepStrictEqual(known, component)) {
      throw new Error(`Two different schemas have the name ${name}.`);
    }
    named.set(name, component);
    return { $ref: `#/components/schemas/${name}` };
  };

  const visit = (value: Json, isSchema: boolean): Json => {
    if (Array.isArray(value)) return value.map((item) => visit(item, isSchema));
    if (typeof value !== "object" || value === null) return value;
    // Below `properties` the keys are names of fields, not keywords.
    if (!isSchema)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, visit(part, true)]));
    const { "x-name": name, ...keywords } = value;
    if (typeof name !== "string") {
      const published = publishKeywords(keywords);
      const page = pageName(published);
      return page === null ? published : refer(page, published);
    }
    const { type } = keywords;
    if (Array.isArray(type) && type.includes("null")) {
      const rest = type.filter((one) => one !== "null");
      const schema = publishKeywords({ ...keywords, type: rest.length === 1 ? rest[0]! : rest });
      return { anyOf: [refer(name, schema), { type: "null" }] };
    }
    return refer(name, publishKeywords(keywords));
  };

  const publishKeywords = (schema: JsonObject): JsonObject => {
    const published: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "format") {
        const format = STANDARD_FORMATS.has(value) ? value : PUBLIC_FORMATS.get(value);
        if (format !== undefined) published.format = format;
      } else if (keyword === "properties" || keyword === "patternProperties") {
        published[keyword] = visit(value, false);
      } else if (NOT_SCHEMAS.has(keyword)) {
        published[keyword] = value;
      } else {
        published[keyword] = visit(value, true);
      }
    }
    return published;
  };

  return {
    publish: (schema) => visit(JSON.parse(JSON.stringify(schema)) as Json, true) as JsonObject,
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Keywords whose value is data, and may look like a schema. */
const NOT_SCHEMAS: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "example",
  "examples",
  "x-error",
  "x-immutable",
]);

/** A list's answer is named for what it lists: `LeadPage` for one of `LeadSummary`. */
function pageName(schema: JsonObject): string | null {
  const properties = schema.properties as Record<string, JsonObject> | undefined;
  if (!properties || Object.keys(properties).join() !== "data,limit,offset") return null;
  const reference = (properties.data!.items as JsonObject | undefined)?.$ref;
  if (typeof reference !== "string") return null;
  return `${reference
    .split("/")
    .at(-1)!
    .replace(/Summary$/, "")}Page`;
}
