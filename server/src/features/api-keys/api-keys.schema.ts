import { type Static, Type } from "typebox";
import { Instant, nullable, oneOf, pageOf, pageQuery, Uuid } from "../../http/schema.ts";
import { SCOPES } from "../../http/scopes.ts";

export const DEFAULT_RATE_LIMIT = 60;
/** Minutes: 30 days. */
const LONGEST_OVERLAP = 43_200;

const fields = {
  id: Uuid,
  organization_id: Uuid,
  name: Type.String(),
  key_prefix: Type.String({ description: "The key's first characters, to tell keys apart" }),
  status: oneOf(["active", "revoked", "expired"], {
    description: "As of now: a key that was rotated with an overlap is active until the overlap ends",
  }),
  scopes: Type.Array(oneOf(SCOPES)),
  rate_limit_per_minute: Type.Integer(),
  expires_at: nullable(Instant),
  revoked_at: nullable(
    Type.String({ format: "date-time", description: "In the future while a rotation's overlap runs" }),
  ),
  rotated_from: nullable(Type.String({ format: "uuid", description: "The key whose place this one took" })),
  last_used_at: nullable(Instant),
  created_at: Instant,
};

export const ApiKey = Type.Object(fields, { "x-name": "ApiKey" });
export type ApiKey = Static<typeof ApiKey>;

export const IssuedApiKey = Type.Object(
  { ...fields, key: Type.String({ description: "Shown this once; the service keeps its SHA-256 alone" }) },
  { "x-name": "IssuedApiKey" },
);
export type IssuedApiKey = Static<typeof IssuedApiKey>;

export const ApiKeyPage = pageOf(ApiKey);
export const ApiKeyListQuery = Type.Object(pageQuery);

export const ApiKeyCreate = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 120,
      pattern: "\\S",
      description: "1 to 120 characters, not all of them spaces",
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        description: "scope names; default every scope",
      }),
    ),
    rate_limit_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: `requests a minute; default ${DEFAULT_RATE_LIMIT}`,
      }),
    ),
    expires_at: Type.Optional(
      nullable(
        Type.String({
          format: "iso-instant",
          description: "an ISO 8601 date or date-time; in the past the key is expired at once",
        }),
      ),
    ),
  },
  { additionalProperties: false, "x-name": "ApiKeyCreate" },
);
export type ApiKeyCreate = Static<typeof ApiKeyCreate>;

export const ApiKeyRotate = Type.Object(
  {
    overlap_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_OVERLAP,
        description: "how long the old key goes on working; default 0: it stops at once",
      }),
    ),
  },
  { additionalProperties: false, "x-name": "ApiKeyRotate" },
);
export type ApiKeyRotate = Static<typeof ApiKeyRotate>;
