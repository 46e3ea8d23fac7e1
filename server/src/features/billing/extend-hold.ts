import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import * as sql from "./holds.sql.ts";
import { lockWallet } from "./lock-wallet.ts";

/**
 * Sets more tokens aside for a running call.
 * @param input `tokens`: the price of its next minute
 * @returns false when the wallet hasn't that many available, or the call is settled already: nothing changed then
 * @throws DomainError organization_not_found
 */
export async function extendHold(
  deps: { clock: Clock; database: Database },
  input: { organizationId: string; callId: string; tokens: number },
): Promise<boolean> {
  const { organizationId, callId, tokens } = input;
  return deps.database.transaction(async (transaction) => {
    const wallet = await lockWallet(transaction, organizationId);
    if (wallet.balance - wallet.held < tokens) return false;
    const extended = await transaction.query({
      ...sql.extendHold,
      values: [organizationId, callId, tokens, timestamp(deps.clock.now())],
    });
    return extended.length > 0;
  });
}
