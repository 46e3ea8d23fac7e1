import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import * as sql from "./holds.sql.ts";
import { lockWallet } from "./lock-wallet.ts";

/**
 * Sets tokens aside for a call, in the transaction that makes the call. The wallet stays locked until that ends: whoever
 * also counts the organization's calls counts them after this. A call that costs nothing needs nothing, also of an empty
 * wallet; it gets a hold of 0, so that every call is settled the same way.
 * @param input `tokens`: the price of the first minute
 * @throws DomainError insufficient_balance (other calls' holds count as spent), organization_not_found
 */
export async function placeHold(
  deps: { clock: Clock },
  transaction: Queryable,
  input: { organizationId: string; callId: string; tokens: number },
): Promise<void> {
  const { organizationId, callId, tokens } = input;
  const wallet = await lockWallet(transaction, organizationId);
  const available = wallet.balance - wallet.held;
  if (available < tokens) {
    throw new DomainError(
      "insufficient_balance",
      `The first minute costs ${tokens} tokens, but only ${Math.max(0, available)} are available.`,
    );
  }
  await transaction.query({
    ...sql.insertHold,
    values: [organizationId, callId, tokens, timestamp(deps.clock.now())],
  });
}
