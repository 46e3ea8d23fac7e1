import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import { HIGHEST_BALANCE, MOST_TOKENS, type WalletEntry } from "./billing.schema.ts";
import * as sql from "./billing.sql.ts";
import { lockWallet } from "./lock-wallet.ts";
import { type EntryRow, postTransfer } from "./post-transfer.ts";
import { presentEntry, storedKey } from "./present-entry.ts";
import { reportLowBalance } from "./report-low-balance.ts";

export interface CreditWalletInput {
  organizationId: string;
  actor: string;
  /** A whole number other than 0, up to ±1,000,000,000,000; negative debits. */
  tokens: number;
  note?: string | null | undefined;
  /** With the same key again nothing is written, and the answer is the first one's. */
  idempotencyKey?: string | null | undefined;
}

/**
 * Moves tokens between the funding account and an organization's wallet. Reports `billing.low_balance` when the balance
 * falls to the threshold.
 * @throws DomainError invalid_request, organization_not_found,
 *   insufficient_balance (a debit of more than what running calls leave available),
 *   conflict (the key was used with other tokens; or the balance would pass 10^15)
 */
export async function creditWallet(
  deps: OutboxDeps & { database: Database },
  input: CreditWalletInput,
): Promise<WalletEntry> {
  const { tokens, actor } = input;
  if (!Number.isInteger(tokens) || tokens === 0 || Math.abs(tokens) > MOST_TOKENS) {
    throw new DomainError(
      "invalid_request",
      `tokens must be a whole number other than 0, up to ±${MOST_TOKENS}.`,
    );
  }
  return deps.database.transaction(async (transaction) => {
    const wallet = await lockWallet(transaction, input.organizationId);
    const idempotencyKey = storedKey(input.idempotencyKey ?? null, deps.newId);
    if (typeof input.idempotencyKey === "string") {
      const [earlier] = await transaction.query<EntryRow>({
        ...sql.findEntry,
        values: [wallet.organization_id, idempotencyKey],
      });
      if (earlier) return repeated(earlier, tokens);
    }
    const balance = wallet.balance + tokens;
    if (tokens < 0 && balance < wallet.held) {
      throw new DomainError(
        "insufficient_balance",
        `Only ${wallet.balance - wallet.held} tokens can be debited: the balance is ${wallet.balance}, and running calls hold ${wallet.held} of it.`,
      );
    }
    if (balance > HIGHEST_BALANCE)
      throw new DomainError("conflict", `The balance would pass ${HIGHEST_BALANCE} tokens.`);

    const entry = await postTransfer(deps, transaction, wallet, {
      kind: tokens > 0 ? "credit" : "debit",
      counterAccount: "funding",
      tokens,
      idempotencyKey,
      note: input.note ?? null,
      actor,
    });
    await recordAudit(deps, transaction, {
      organizationId: wallet.organization_id,
      actor,
      action: tokens > 0 ? "wallet.credited" : "wallet.debited",
      subjectType: "wallet",
      subjectId: wallet.organization_id,
      details: { tokens, balance, transfer_id: entry.transfer_id, note: entry.note },
    });
    await reportLowBalance(deps, transaction, wallet, { ...wallet, balance });
    return presentEntry(entry);
  });
}

function repeated(earlier: EntryRow, tokens: number): WalletEntry {
  if (earlier.tokens !== tokens) {
    throw new DomainError(
      "conflict",
      `This idempotency key was used for ${earlier.tokens} tokens, not ${tokens}.`,
    );
  }
  return presentEntry(earlier);
}
