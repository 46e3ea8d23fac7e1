import type { NewId } from "../../ids.ts";
import type { WalletEntry } from "./billing.schema.ts";
import type { EntryRow } from "./post-transfer.ts";

/** Keys that people choose stand apart from those that the service gives its own transfers. */
const GIVEN = "given:";

/** The key as the ledger stores it: the one given, else one of its own that nobody can repeat. */
export function storedKey(given: string | null, newId: NewId): string {
  return given === null ? `made:${newId()}` : GIVEN + given;
}

export function presentEntry(row: EntryRow): WalletEntry {
  const { idempotency_key: key } = row;
  return {
    id: row.id,
    transfer_id: row.transfer_id,
    kind: row.kind,
    tokens: row.tokens,
    balance: row.balance,
    note: row.note,
    actor: row.actor,
    idempotency_key: key.startsWith(GIVEN) ? key.slice(GIVEN.length) : null,
    created_at: row.created_at,
  };
}
