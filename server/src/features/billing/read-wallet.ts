import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Wallet } from "./billing.schema.ts";
import * as sql from "./billing.sql.ts";
import type { EntryRow } from "./post-transfer.ts";
import { presentEntry } from "./present-entry.ts";

const LATEST_ENTRIES = 50;

type WalletRow = {
  organization_id: string;
  wallet_balance: number;
  held: number;
  threshold: number;
} & (EntryRow | { [Column in keyof EntryRow]: null });

/** The wallet with its latest 50 entries, newest first. @throws DomainError organization_not_found */
export async function readWallet(deps: { database: Database }, organizationId: string): Promise<Wallet> {
  const rows = await deps.database.query<WalletRow>({
    ...sql.readWallet,
    values: [organizationId, LATEST_ENTRIES],
  });
  const [wallet] = rows;
  if (!wallet) throw new DomainError("organization_not_found", "There is no such organization.");
  return {
    organization_id: wallet.organization_id,
    balance: wallet.wallet_balance,
    held: wallet.held,
    available: wallet.wallet_balance - wallet.held,
    threshold: wallet.threshold,
    entries: rows.flatMap((row) => (row.id === null ? [] : [presentEntry(row)])),
  };
}
