import { Type } from "typebox";

export type Scalar = string | number | boolean | null;

/** Objects of scalars by any key. Not `Type.Record`: its pattern would lose keys with a line break in them. */
function scalarsByName(what: "template_context" | "metadata", longestValue: number, description: string) {
  return Type.Unsafe<Readonly<Record<string, Scalar>>>({
    type: "object",
    maxProperties: 50,
    additionalProperties: {
      type: ["string", "number", "boolean", "null"],
      maxLength: longestValue,
      "x-error": {
        default: `${what}_values_must_be_scalar`,
        maxLength: `${what}_value_too_long`,
      },
    },
    description,
    "x-error": { default: `${what}_must_be_object`, maxProperties: `${what}_too_many_keys` },
  });
}

/** Of `POST /calls` and `POST /agents/{id}/calls`. */
export const TemplateContext = scalarsByName(
  "template_context",
  1_000,
  "an object of at most 50 values by the names of placeholders; each a string of up to 1,000 characters, a number, a boolean or null",
);

/** Of `POST /calls` and `POST /agents/{id}/calls`. */
export const Metadata = scalarsByName(
  "metadata",
  500,
  "an object of at most 50 values for your own use; each a string of up to 500 characters, a number, a boolean or null",
);
