import { type Transaction, timestamp } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import * as sql from "./holds.sql.ts";
import { lockWallet } from "./lock-wallet.ts";
import { postTransfer } from "./post-transfer.ts";
import { reportLowBalance } from "./report-low-balance.ts";

export interface Settlement {
  /** What the call was charged, by this settlement or the one before it. */
  captured: number;
  /** True for exactly one settlement of a call. */
  first: boolean;
}

/**
 * Charges a call that is over and gives back the rest of what was set aside for it. Exactly once, however often and by
 * whomever it is called: a later settlement changes nothing and answers what the first one charged. Charges no more than
 * was held. Reports `billing.low_balance` when the balance falls to the threshold.
 * @param input `tokens`: the call's price; `note` and `actor` go into the ledger
 * @throws DomainError organization_not_found; Error for a call that nothing was ever held for
 */
export async function settleHold(
  deps: OutboxDeps,
  transaction: Transaction,
  input: { organizationId: string; callId: string; tokens: number; note: string | null; actor: string },
): Promise<Settlement> {
  const { organizationId, callId } = input;
  const wallet = await lockWallet(transaction, organizationId);
  const [hold] = await transaction.query<{ state: string; held: number; captured: number | null }>({
    ...sql.readHold,
    values: [organizationId, callId],
  });
  if (!hold) throw new Error(`Nothing was held for call ${callId}.`);
  if (hold.state === "settled") return { captured: hold.captured ?? 0, first: false };

  const captured = Math.min(Math.max(0, input.tokens), hold.held);
  await transaction.query({
    ...sql.settleHold,
    values: [organizationId, callId, hold.held, captured, timestamp(deps.clock.now())],
  });
  if (captured > 0) {
    await postTransfer(deps, transaction, wallet, {
      kind: "call",
      counterAccount: "revenue",
      tokens: -captured,
      idempotencyKey: `call:${callId}`,
      note: input.note,
      actor: input.actor,
    });
    await reportLowBalance(deps, transaction, wallet, {
      ...wallet,
      balance: wallet.balance - captured,
      held: wallet.held - hold.held,
    });
  }
  return { captured, first: true };
}
