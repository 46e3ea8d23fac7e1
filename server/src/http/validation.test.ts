import { type TSchema, Type } from "typebox";
import { describe, expect, it } from "vitest";
import { leadFormats } from "../features/leads/index.ts";
import { nullable, oneOf } from "./schema.ts";
import { createValidatorCompiler } from "./validation.ts";

const compile = createValidatorCompiler(leadFormats);

/** What is said of this value of the field `it`. */
function said(schema: TSchema, it: unknown): string {
  const body = Type.Object({ it: schema }, { additionalProperties: false });
  try {
    compile({ schema: body, method: "POST", url: "/", httpPart: "body" })({ it });
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

describe("what a value has to be that breaks its schema", () => {
  it.each([
    [Type.String(), 1, "it must be text."],
    [nullable(Type.Integer()), "1", "it must be a whole number or null."],
    [Type.Boolean(), null, "it must be true or false."],
    [Type.Array(Type.String()), {}, "it must be a list."],
    [Type.Array(Type.Object({}), { maxItems: 1 }), [{}, {}], "it must be a list of at most 1 value."],
    [Type.Array(Type.String(), { uniqueItems: true }), ["a", "a"], "it must be a list without repetitions."],
    [Type.String({ maxLength: 3 }), "four", "it must be at most 3 characters long."],
    [Type.String({ minLength: 1 }), "", "it must be at least 1 character long."],
    [Type.String({ pattern: "\\S" }), " ", "it must be more than white space."],
    [Type.Integer({ minimum: 300, maximum: 850 }), 299, "it must be at least 300."],
    [Type.Integer({ minimum: 300, maximum: 850 }), 851, "it must be at most 850."],
    [Type.Number({ exclusiveMinimum: 0 }), 0, "it must be more than 0."],
    [oneOf(["phone", "browser"]), "fax", "it must be one of phone, browser."],
    [Type.String({ format: "uuid" }), "1", "it must be a UUID."],
    [Type.String({ format: "email-address" }), "a", "it must be an e-mail address."],
    [
      Type.String({ format: "iso-instant" }),
      "soon",
      "it must be an ISO 8601 date or date-time, such as 2026-01-05 or 2026-01-05T14:00:00Z.",
    ],
    [
      Type.Object({}, { propertyNames: { enum: ["a", "b"] } }),
      { c: 1 },
      "Each key of it must be one of a, b.",
    ],
    [Type.Integer({ minimum: 5, description: "seconds" }), 4, "it must be at least 5. Expected: seconds."],
  ])("%j: %j", (schema, value, words) => {
    expect(said(schema, value)).toBe(words);
  });
});
