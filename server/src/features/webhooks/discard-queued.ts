import { type Queryable, timestamp } from "../../database/database.ts";
import { nextDeliveryState } from "./delivery-states.ts";
import * as sql from "./subscriptions.sql.ts";

/**
 * Discards what is queued for a subscription that is disabled or gone, up to `most` deliveries (default all), and says
 * how many. Attempts under way end by themselves: a success still counts, a failure is then discarded too.
 */
export async function discardQueued(
  on: Queryable,
  subscription: { organizationId: string; id: string },
  now: number,
  most: number | null = null,
): Promise<number> {
  const [result] = await on.query<{ discarded: number }>({
    ...sql.discardQueued,
    values: [
      subscription.organizationId,
      subscription.id,
      nextDeliveryState("pending", "subscription_gone"),
      timestamp(now),
      most,
    ],
  });
  return result!.discarded;
}
