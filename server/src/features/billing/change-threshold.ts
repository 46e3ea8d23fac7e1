import { type Transaction, timestamp } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import * as sql from "./billing.sql.ts";
import { lockWallet } from "./lock-wallet.ts";
import { reportLowBalance } from "./report-low-balance.ts";

/**
 * Makes a wallet follow a new low-balance threshold; the organization's row is the caller's to write, after this. A
 * threshold raised to the balance or past it reports `billing.low_balance` at once: the balance won't cross it by
 * falling any more, and whoever raised it wants to know. One lowered below the balance arms the wallet again.
 * @throws DomainError organization_not_found
 */
export async function changeThreshold(
  deps: OutboxDeps,
  transaction: Transaction,
  input: { organizationId: string; threshold: number },
): Promise<void> {
  const wallet = await lockWallet(transaction, input.organizationId);
  const armed = wallet.balance > input.threshold;
  if (armed === wallet.armed) return;
  await transaction.query({
    ...sql.armWallet,
    values: [wallet.organization_id, armed, timestamp(deps.clock.now())],
  });
  await reportLowBalance(deps, transaction, wallet, { ...wallet, threshold: input.threshold });
}
