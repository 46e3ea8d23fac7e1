import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import * as sql from "./billing.sql.ts";

/** A wallet that nobody else changes until the transaction ends, with what decides about it. Amounts are tokens. */
export interface LockedWallet {
  organization_id: string;
  balance: number;
  held: number;
  /** True while the balance is above the threshold. */
  armed: boolean;
  threshold: number;
  phone_rate_per_minute: number;
  browser_rate_per_minute: number;
}

type Terms = Pick<LockedWallet, "threshold" | "phone_rate_per_minute" | "browser_rate_per_minute">;

/**
 * Locks a wallet for the rest of the transaction. Whoever also locks the organization's row locks the wallet first.
 * @throws DomainError organization_not_found
 */
export async function lockWallet(transaction: Queryable, organizationId: string): Promise<LockedWallet> {
  const [wallet] = await transaction.query<Omit<LockedWallet, keyof Terms>>({
    ...sql.lockWallet,
    values: [organizationId],
  });
  if (!wallet) throw new DomainError("organization_not_found", "There is no such organization.");
  const [terms] = await transaction.query<Terms>({
    ...sql.readTerms,
    values: [organizationId],
  });
  return { ...wallet, ...terms! };
}
