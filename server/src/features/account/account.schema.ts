import { type Static, Type } from "typebox";
import { Instant, oneOf, Uuid } from "../../http/schema.ts";
import { SCOPES } from "../../http/scopes.ts";

export const Account = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: oneOf(["active", "suspended"], {
      description: "A suspended organization can read, but not write",
    }),
    sandbox: Type.Boolean(),
    key_mode: oneOf(["live", "test"], { description: "`test` for a sandbox key" }),
    voice_calls_allowed: Type.Boolean({
      description: "False in a sandbox, with voice suspended and while the organization is",
    }),
    scopes: Type.Array(oneOf(SCOPES), { description: "What the key that asks may do" }),
    rate_limit_per_minute: Type.Integer({ description: "Of the key that asks" }),
    balance_tokens: Type.Integer(),
    balance_usd: Type.Number({ description: "1 token = 0.001 USD" }),
    created_at: Instant,
  },
  { "x-name": "Account" },
);
export type Account = Static<typeof Account>;
