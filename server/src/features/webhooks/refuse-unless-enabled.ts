import type { Queryable } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import { noSuchWebhook } from "./read-subscriptions.ts";
import * as sql from "./subscriptions.sql.ts";

/**
 * Locks a subscription that something is about to be queued for, so that it can't be disabled meanwhile.
 * @param whenMissing the subscription was `asked` for by its id, or is what a delivery names and may be `gone`
 * @throws DomainError not_found, conflict
 */
export async function refuseUnlessEnabled(
  transaction: Queryable,
  organizationId: string,
  id: string,
  whenMissing: "asked" | "gone",
): Promise<void> {
  const [subscription] = await transaction.query<{ enabled: boolean }>({
    ...sql.lockSubscription,
    values: [organizationId, id],
  });
  if (!subscription) {
    throw whenMissing === "asked" ? noSuchWebhook() : new DomainError("conflict", "The webhook was deleted.");
  }
  if (!subscription.enabled)
    throw new DomainError("conflict", "The webhook is disabled. Enable it first: PATCH enabled to true.");
}
