import type { ErrorObject } from "ajv/dist/2020.js";

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const counted = (count: unknown, one: string, more: string) => `${count} ${count === 1 ? one : more}`;
const characters = (count: unknown) => counted(count, "character", "characters");
const values = (count: unknown) => counted(count, "value", "values");
const keys = (count: unknown) => counted(count, "key", "keys");
const orOf = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

type Words = (params: Readonly<Record<string, unknown>>) => string;

/** By the keyword that a value breaks: what it has to be. */
const WORDS: Readonly<Record<string, Words>> = {
  type: ({ type }) => orOf([type].flat().map((name) => TYPES[String(name)] ?? String(name))),
  minLength: ({ limit }) => `at least ${characters(limit)} long`,
  maxLength: ({ limit }) => `at most ${characters(limit)} long`,
  minimum: ({ limit }) => `at least ${limit}`,
  maximum: ({ limit }) => `at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `less than ${limit}`,
  minItems: ({ limit }) => `a list of at least ${values(limit)}`,
  maxItems: ({ limit }) => `a list of at most ${values(limit)}`,
  uniqueItems: () => "a list without repetitions",
  minProperties: ({ limit }) => `an object of at least ${keys(limit)}`,
  maxProperties: ({ limit }) => `an object of at most ${keys(limit)}`,
  const: ({ allowedValue }) => JSON.stringify(allowedValue),
  enum: ({ allowedValues }) => `one of ${[allowedValues].flat().map(String).join(", ")}`,
  pattern: ({ pattern }) => (pattern === "\\S" ? "more than white space" : `text that matches ${pattern}`),
};

/**
 * What a value has to be that breaks its schema, to follow "must be".
 * @param formats what texts of each named format are
 */
export function wordsFor(error: ErrorObject, formats: ReadonlyMap<string, string>): string | undefined {
  if (error.keyword === "format") return formats.get(String(error.params.format));
  return WORDS[error.keyword]?.(error.params);
}
