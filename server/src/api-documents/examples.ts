import type { Json } from "../http/openapi-schemas.ts";

/** An example by the name of a schema of the public document. */
export const examples: Readonly<Record<string, Json>> = {};
