import type { Transaction } from "../../database/database.ts";
import { type OutboxDeps, recordEvents } from "../../events/outbox.ts";
import type { LockedWallet } from "./lock-wallet.ts";

/**
 * Reports `billing.low_balance` when a wallet that was above its threshold is no longer. Together with the rule that a
 * wallet is armed exactly while it is above, this fires once per dip, in the transaction of the change.
 * @param after the wallet as the transaction leaves it
 */
export async function reportLowBalance(
  deps: OutboxDeps,
  transaction: Transaction,
  before: Pick<LockedWallet, "armed">,
  after: LockedWallet,
): Promise<void> {
  if (!before.armed || after.balance > after.threshold) return;
  // A call's first minute is held before it is dialed, so a minute's price is what one more call takes. Where calls are
  // free the estimate counts them at a token each: the field stays a number.
  const price = Math.max(1, after.phone_rate_per_minute);
  await recordEvents(deps, transaction, [
    {
      organizationId: after.organization_id,
      type: "billing.low_balance",
      data: {
        current_balance: after.balance,
        threshold: after.threshold,
        estimated_calls_remaining: Math.max(0, Math.floor((after.balance - after.held) / price)),
      },
    },
  ]);
}
