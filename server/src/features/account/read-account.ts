import type { Database } from "../../database/database.ts";
import type { ApiCaller } from "../../http/authentication.ts";
import { readOrganization } from "../organizations/index.ts";
import type { Account } from "./account.schema.ts";

const TOKENS_PER_USD = 1000;

/** The caller's organization, and what its key may do. */
export async function readAccount(deps: { database: Database }, caller: ApiCaller): Promise<Account> {
  const organization = await readOrganization(deps, caller.organizationId);
  return {
    id: organization.id,
    name: organization.name,
    status: organization.status,
    sandbox: organization.sandbox,
    key_mode: organization.sandbox ? "test" : "live",
    voice_calls_allowed:
      organization.voice_enabled && !organization.sandbox && organization.status === "active",
    scopes: [...caller.scopes],
    rate_limit_per_minute: caller.rateLimitPerMinute,
    balance_tokens: organization.balance_tokens,
    // A quotient is the double nearest to the true amount; a product with 0.001 is not (9 * 0.001 is 0.009000000000000001).
    balance_usd: organization.balance_tokens / TOKENS_PER_USD,
    created_at: organization.created_at,
  };
}
