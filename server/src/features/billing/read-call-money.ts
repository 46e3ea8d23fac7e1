import type { Database } from "../../database/database.ts";
import type { WalletEntry } from "./billing.schema.ts";
import * as sql from "./billing.sql.ts";
import * as holds from "./holds.sql.ts";
import type { EntryRow } from "./post-transfer.ts";
import { presentEntry } from "./present-entry.ts";

/** What a call has cost, as the wallet's ledger tells it, and what is set aside for it right now. Amounts are tokens. */
export async function readCallMoney(
  deps: { database: Database },
  organizationId: string,
  callId: string,
): Promise<{ entries: WalletEntry[]; held: number }> {
  const [entries, [hold]] = await Promise.all([
    deps.database.query<EntryRow>({ ...sql.findEntry, values: [organizationId, `call:${callId}`] }),
    deps.database.query<{ held: number }>({ ...holds.readHold, values: [organizationId, callId] }),
  ]);
  return { entries: entries.map(presentEntry), held: hold?.held ?? 0 };
}
