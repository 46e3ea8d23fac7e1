import type { Clock } from "../../clock.ts";
import { type Queryable, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import * as sql from "./billing.sql.ts";
import { postTransfer } from "./post-transfer.ts";
import { storedKey } from "./present-entry.ts";

/**
 * Makes a new organization's wallet, in the transaction that makes the organization. An opening balance goes through the
 * ledger as any credit does. Reports nothing: a balance that starts at or below the threshold hasn't fallen to it.
 */
export async function openWallet(
  deps: { clock: Clock; newId: NewId },
  transaction: Queryable,
  input: { organizationId: string; actor: string; balance: number; threshold: number },
): Promise<void> {
  await transaction.query({
    ...sql.insertWallet,
    values: [input.organizationId, timestamp(deps.clock.now())],
  });
  if (input.balance === 0) return;
  await postTransfer(
    deps,
    transaction,
    { organization_id: input.organizationId, balance: 0, threshold: input.threshold },
    {
      kind: "credit",
      counterAccount: "funding",
      tokens: input.balance,
      idempotencyKey: storedKey(null, deps.newId),
      note: "Opening balance",
      actor: input.actor,
    },
  );
}
