import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Wallet, WalletHold } from "./billing.schema.ts";
import * as sql from "./billing.sql.ts";
import { listHolds } from "./holds.sql.ts";
import type { EntryRow } from "./post-transfer.ts";
import { presentEntry } from "./present-entry.ts";

const LATEST_ENTRIES = 50;
const MOST_HOLDS = 200;

type WalletRow = {
  organization_id: string;
  wallet_balance: number;
  held: number;
  threshold: number;
} & (EntryRow | { [Column in keyof EntryRow]: null });

/**
 * The wallet with what live calls hold of it and its latest 50 entries, newest first. All of one moment: an operator who
 * adds the holds up gets what is held.
 * @throws DomainError organization_not_found
 */
export async function readWallet(deps: { database: Database }, organizationId: string): Promise<Wallet> {
  return deps.database.transaction(async (transaction) => {
    await transaction.query(sql.oneMoment);
    const rows = await transaction.query<WalletRow>({
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
      holds: await transaction.query<WalletHold>({ ...listHolds, values: [organizationId, MOST_HOLDS] }),
      entries: rows.flatMap((row) => (row.id === null ? [] : [presentEntry(row)])),
    };
  });
}
