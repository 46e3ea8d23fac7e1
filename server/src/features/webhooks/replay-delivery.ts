import { type Database, timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import type { DeliveryDetails } from "./deliveries.schema.ts";
import * as sql from "./deliveries.sql.ts";
import { readDelivery } from "./read-deliveries.ts";
import { refuseUnlessEnabled } from "./refuse-unless-enabled.ts";

/**
 * Queues a finished delivery again, due at once, with all attempts of the schedule before it. The receiver sees the
 * same event id.
 * @throws DomainError not_found; conflict when it is still queued, or its subscription is disabled or gone
 */
export async function replayDelivery(
  deps: OutboxDeps & { database: Database },
  input: { organizationId: string; id: string; actor: string },
): Promise<DeliveryDetails> {
  const { organizationId, id, actor } = input;
  const found = await readDelivery(deps, organizationId, id);
  await deps.database.transaction(async (transaction) => {
    await refuseUnlessEnabled(transaction, organizationId, found.subscription_id, "gone");
    const replayed = await transaction.query({
      ...sql.replayDelivery,
      values: [organizationId, id, timestamp(deps.clock.now())],
    });
    if (replayed.length === 0) {
      throw new DomainError("conflict", "The delivery is still queued: it will be tried by itself.");
    }
    await recordAudit(deps, transaction, {
      organizationId,
      actor,
      action: "webhook_delivery.replayed",
      subjectType: "webhook_delivery",
      subjectId: found.id,
      details: { subscription_id: found.subscription_id, event_id: found.event_id, state: found.state },
    });
    transaction.afterCommit(deps.deliveriesQueued);
  });
  return readDelivery(deps, organizationId, id);
}
