import { type Static, type TSchema, Type } from "typebox";

/**
 * Keywords of our own that schemas may carry beside JSON Schema's:
 * - `x-name`: the schema's name among the components of the OpenAPI document
 * - `x-error`: the error code when the value breaks the schema (default `invalid_request`); or an object of codes by the
 *   keyword that the value breaks, with `default` for the others
 * - `x-error-required`: the code when a required value is missing (default: `x-error`)
 * - `x-unknown-error`: on an object, the code for a key it doesn't have (default `unknown_field`). Looked for, also in an
 *   object inside the body, before any value is looked at
 * - `x-immutable`: on an object, keys that are refused with a code of their own instead of as unknown
 * - `x-clamp`: on an integer of the query, larger values are taken as this one
 */
export const ownKeywords = [
  "x-name",
  "x-error",
  "x-error-required",
  "x-unknown-error",
  "x-immutable",
  "x-clamp",
] as const;

/** The schema, or null. As `type: [T, "null"]`, which the serializer handles without trying alternatives. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as TSchema & { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, "null"],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

/** One of these strings. */
export function oneOf<const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });
}

/** Options of the body of a `PATCH`, none of whose fields is required alone. */
export const atLeastOneField = {
  minProperties: 1,
  "x-error": { minProperties: "nothing_to_update" },
} as const;

export const Uuid = Type.String({ format: "uuid" });
export const Instant = Type.String({ format: "date-time", description: "ISO 8601, UTC" });

export const IdParams = Type.Object({ id: Uuid });

/** The body of a write that takes no fields: one that is sent all the same may name none. */
export const NoFields = Type.Object({}, { additionalProperties: false });

/** The query of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 50,
      "x-clamp": 200,
      description: "1 to 200; larger values are taken as 200",
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
};

/** The answer of every list. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    limit: Type.Integer({ description: "The page size used, after clamping" }),
    offset: Type.Integer(),
  });
}

export interface Page {
  limit: number;
  offset: number;
}

/** The page a list was asked for. Values are already validated and clamped. */
export function pageFrom(query: { limit?: number; offset?: number }): Page {
  return { limit: query.limit ?? 50, offset: query.offset ?? 0 };
}
