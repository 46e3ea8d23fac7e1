import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { DomainError } from "../domain-error.ts";
import { isUuid } from "../ids.ts";
import { ownKeywords } from "./schema.ts";
import { wordsFor } from "./validation-words.ts";

/** Named formats of strings. */
export type Formats = Readonly<Record<string, Format>>;

interface Format {
  /** True when the text is of it. */
  test(text: string): boolean;
  /** What such a text is, to follow "must be". */
  words: string;
}

const UUID: Format = { test: isUuid, words: "a UUID" };

type ObjectSchema = TSchema & {
  properties?: Record<string, TSchema>;
  required?: string[];
  additionalProperties?: unknown;
  "x-immutable"?: Record<string, string>;
  "x-unknown-error"?: string;
};

/** A code for whatever is wrong with a value, or codes by the keyword that it breaks. */
type ErrorOfValue = string | ({ default?: string } & Record<string, string>) | undefined;

/** JSON nested deeper than this is refused before anything walks it. No body of the contract is deeper than 4. */
const DEEPEST_JSON = 32;

/**
 * Compiles route schemas into validators that throw the contract's errors. Nothing is coerced, but the whole
 * numbers and booleans of a query, whose values are all text.
 */
export function createValidatorCompiler(formats: Formats): FastifySchemaCompiler<TSchema> {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    verbose: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
  });
  for (const keyword of ownKeywords) if (keyword !== "x-clamp") ajv.addKeyword(keyword);
  ajv.addKeyword({
    keyword: "x-clamp",
    type: "number",
    modifying: true,
    schemaType: "number",
    validate: (
      most: number,
      value: number,
      _schema: unknown,
      at?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
    ) => {
      if (value > most && at) at.parentData[at.parentDataProperty] = most;
      return true;
    },
  });
  const all = Object.entries({ uuid: UUID, ...formats });
  for (const [name, { test }] of all) ajv.addFormat(name, test);
  const formatWords = new Map(all.map(([name, { words }]) => [name, words]));

  // At a schema's first use, and once for all prefixes: to compile them all is most of what a start would take.
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  const validatorOf = (schema: TSchema) => {
    let validate = compiled.get(schema);
    if (!validate) {
      validate = ajv.compile(schema);
      compiled.set(schema, validate);
    }
    return validate;
  };

  return ({ schema, httpPart }) => {
    const isBody = httpPart === "body";
    return (value: unknown) => {
      const validate = validatorOf(schema);
      if (isBody) refuseUnknownFields(value, schema as ObjectSchema);
      else readTexts(value as Record<string, unknown>, schema as ObjectSchema);
      refuseUnstorableText(value);
      if (validate(value)) return { value };
      throw contractError(validate.errors![0]!, isBody, formatWords);
    };
  };
}

function readTexts(values: Record<string, unknown>, schema: ObjectSchema): void {
  for (const [name, { type }] of Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: string }>,
  )) {
    const text = values[name];
    if (typeof text !== "string") continue;
    // However large: a page beyond all rows is an empty page.
    if (type === "integer" && /^-?\d+$/.test(text)) {
      values[name] = Math.min(Number(text), Number.MAX_SAFE_INTEGER);
    } else if (type === "boolean" && (text === "true" || text === "false")) values[name] = text === "true";
  }
}

/** Keys that the schema doesn't have, in the order they were sent; before any value is looked at. */
function refuseUnknownFields(value: unknown, schema: ObjectSchema): void {
  if (!isObject(value)) throw new DomainError("invalid_request", "The body must be a JSON object.");
  refuseUnknownKeys(value, schema);
  for (const [name, part] of Object.entries(schema.properties ?? {}) as [string, ObjectSchema][]) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (part["x-unknown-error"] !== undefined && isObject(inner)) refuseUnknownKeys(inner, part);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseUnknownKeys(value: Record<string, unknown>, schema: ObjectSchema): void {
  if (schema.additionalProperties !== false) return;
  const properties = schema.properties ?? {};
  const immutable = schema["x-immutable"] ?? {};
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key) || Object.hasOwn(immutable, key)) continue;
    const name = key.length > 200 ? `${key.slice(0, 200)}…` : key;
    const accepted = Object.keys(properties);
    throw new DomainError(
      `${schema["x-unknown-error"] ?? "unknown_field"}:${name.toWellFormed()}`,
      accepted.length > 0 ? `Accepted here: ${accepted.join(", ")}.` : "No field is accepted here.",
    );
  }
  for (const [key, code] of Object.entries(immutable)) {
    if (Object.hasOwn(value, key)) throw new DomainError(code, `${key} cannot change.`);
  }
}

/** NUL and lone surrogates can't be stored as text. @throws DomainError invalid_request */
function refuseUnstorableText(value: unknown): void {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item === "string") refuseText(item);
    else if (typeof item === "object" && item !== null) {
      for (const [key, member] of Object.entries(item)) {
        refuseText(key);
        stack.push(member);
      }
    }
  }
}

function refuseText(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new DomainError("invalid_request", "Text must not hold NUL characters or unpaired surrogates.");
  }
}

/** @throws DomainError invalid_request when the JSON is nested deeper than `DEEPEST_JSON` */
export function refuseDeepNesting(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_JSON)
      throw new DomainError("invalid_request", `The body is nested deeper than ${DEEPEST_JSON} levels.`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const member of Object.values(item))
        if (typeof member === "object" && member !== null) next.push(member);
    }
    level = next;
  }
}

function contractError(
  error: ErrorObject,
  isBody: boolean,
  formatWords: ReadonlyMap<string, string>,
): DomainError {
  const parent = (error.parentSchema ?? {}) as ObjectSchema & { "x-error"?: ErrorOfValue };
  const where = error.instancePath.slice(1).replaceAll("/", ".");
  if (error.keyword === "required") {
    const missing = String(error.params.missingProperty);
    const schema = (parent.properties?.[missing] ?? {}) as unknown as {
      "x-error"?: ErrorOfValue;
      "x-error-required"?: string;
    };
    const code = schema["x-error-required"] ?? codeFor("required", schema["x-error"]);
    return new DomainError(code, `${where ? `${where}.` : ""}${missing} is required.`);
  }
  if (error.keyword === "additionalProperties") {
    const name = String(error.params.additionalProperty);
    return new DomainError(
      `${parent["x-unknown-error"] ?? "unknown_field"}:${name}`,
      `${where || "The body"} has no such key.`,
    );
  }
  const whole = where || (isBody ? "The body" : "The value");
  const subject = error.propertyName === undefined ? whole : `Each key of ${whole}`;
  const words = wordsFor(error, formatWords);
  // A format's words are its description already.
  const description =
    error.keyword === "format" ? undefined : (parent as { description?: string }).description;
  return new DomainError(
    codeFor(error.keyword, parent["x-error"]),
    `${subject} ${words === undefined ? "is not valid" : `must be ${words}`}.${description ? ` Expected: ${description}.` : ""}`,
  );
}

function codeFor(keyword: string, codes: ErrorOfValue): string {
  if (typeof codes !== "object") return codes ?? "invalid_request";
  return codes[keyword] ?? codes.default ?? "invalid_request";
}
