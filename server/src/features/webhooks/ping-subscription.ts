import { type Database, timestamp } from "../../database/database.ts";
import { TEST_EVENT } from "../../events/catalog.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import type { DeliveryDetails } from "./deliveries.schema.ts";
import * as sql from "./deliveries.sql.ts";
import { readDelivery } from "./read-deliveries.ts";
import { refuseUnlessEnabled } from "./refuse-unless-enabled.ts";

/**
 * Sends an event of type `webhook.test` to one subscription and to no other: delivered, signed, retried and logged as
 * any event. Answers the delivery that was queued.
 * @throws DomainError not_found, conflict when the subscription is disabled
 */
export async function pingSubscription(
  deps: OutboxDeps & { database: Database },
  input: { organizationId: string; id: string; actor: string },
): Promise<DeliveryDetails> {
  const { organizationId, id, actor } = input;
  const deliveryId = await deps.database.transaction(async (transaction) => {
    await refuseUnlessEnabled(transaction, organizationId, id, "asked");
    const data = JSON.stringify({ subscription_id: id.toLowerCase() });
    const [delivery] = await transaction.query<{ id: string }>({
      ...sql.queueForOne,
      values: [organizationId, id, deps.newId(), TEST_EVENT, data, timestamp(deps.clock.now())],
    });
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "webhook.pinged",
      subjectType: "webhook",
      subjectId: id,
      details: { delivery_id: delivery!.id },
    });
    transaction.afterCommit(deps.deliveriesQueued);
    return delivery!.id;
  });
  return readDelivery(deps, organizationId, deliveryId);
}
