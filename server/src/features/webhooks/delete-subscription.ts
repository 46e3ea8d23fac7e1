import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { discardQueued } from "./discard-queued.ts";
import { noSuchWebhook } from "./read-subscriptions.ts";
import * as sql from "./subscriptions.sql.ts";

/** More than this is left to the dispatcher, so that a huge backlog can't make the request time out. */
const DISCARDED_AT_ONCE = 50_000;

/**
 * Deletes a subscription and discards what is queued for it. Its delivery log stays.
 * @throws DomainError not_found
 */
export async function deleteSubscription(
  deps: { database: Database; clock: Clock },
  input: { organizationId: string; id: string },
): Promise<void> {
  const { organizationId, id } = input;
  await deps.database.transaction(async (transaction) => {
    const [found] = await transaction.query({ ...sql.lockSubscription, values: [organizationId, id] });
    if (!found) throw noSuchWebhook();
    await transaction.query({ ...sql.deleteSubscription, values: [organizationId, id] });
    await discardQueued(transaction, { organizationId, id }, deps.clock.now(), DISCARDED_AT_ONCE);
  });
}
