import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import * as sql from "./billing.sql.ts";
import type { LockedWallet } from "./lock-wallet.ts";

/** A wallet's side of a transfer as it is stored: the idempotency key has its kind in front. */
export interface EntryRow {
  id: string;
  transfer_id: string;
  kind: string;
  tokens: number;
  balance: number;
  note: string | null;
  actor: string;
  idempotency_key: string;
  created_at: string;
}

export interface Transfer {
  kind: string;
  /** Where the tokens come from, or go to. */
  counterAccount: "funding" | "revenue";
  /** Into the wallet; negative out of it. Never 0. */
  tokens: number;
  /** Unique in the organization. The caller looks for it first, under the wallet's lock. */
  idempotencyKey: string;
  note: string | null;
  actor: string;
}

/**
 * Writes both sides of a transfer and the wallet's new balance. The wallet must be locked, and the caller has checked
 * that the transfer is allowed.
 */
export async function postTransfer(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  wallet: Pick<LockedWallet, "organization_id" | "balance" | "threshold">,
  transfer: Transfer,
): Promise<EntryRow> {
  const balance = wallet.balance + transfer.tokens;
  const [entry] = await transaction.query<EntryRow>({
    ...sql.postTransfer,
    values: [
      wallet.organization_id,
      deps.newId(),
      deps.newId(),
      deps.newId(),
      transfer.counterAccount,
      transfer.tokens,
      transfer.kind,
      transfer.idempotencyKey,
      transfer.note,
      transfer.actor,
      balance,
      balance > wallet.threshold,
      timestamp(deps.clock.now()),
    ],
  });
  return entry!;
}
