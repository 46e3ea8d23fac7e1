import type { Clock } from "../../../clock.ts";
import type { Database } from "../../../database/database.ts";
import { discardQueued } from "../discard-queued.ts";
import * as sql from "../subscriptions.sql.ts";

const PORTION = 1_000;

/**
 * Discards a portion of what is queued for a subscription that was found disabled or gone, unless it has been enabled
 * meanwhile. True when there may be more. Its rows come from an event that committed while the subscription was being
 * disabled, or from a backlog that was too large to be discarded at once.
 */
export async function discardUndeliverable(
  deps: { database: Database; clock: Clock },
  subscription: { organizationId: string; subscriptionId: string },
): Promise<boolean> {
  const { organizationId, subscriptionId: id } = subscription;
  return deps.database.transaction(async (transaction) => {
    const [found] = await transaction.query<{ enabled: boolean }>({
      ...sql.lockSubscription,
      values: [organizationId, id],
    });
    if (found?.enabled) return true;
    return (await discardQueued(transaction, { organizationId, id }, deps.clock.now(), PORTION)) === PORTION;
  });
}
