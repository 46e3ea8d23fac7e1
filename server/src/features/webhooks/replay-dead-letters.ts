import { type Database, timestamp } from "../../database/database.ts";
import type { OutboxDeps } from "../../events/outbox.ts";
import { recordAudit } from "../audit/index.ts";
import * as sql from "./deliveries.sql.ts";
import { refuseUnlessEnabled } from "./refuse-unless-enabled.ts";

const BATCH = 1_000;

/**
 * Queues a subscription's dead letters again, oldest first, in transactions of a thousand. Those that die again
 * meanwhile are not taken a second time.
 * @throws DomainError not_found, conflict when the subscription is disabled
 */
export async function replayDeadLetters(
  deps: OutboxDeps & { database: Database },
  input: { organizationId: string; subscriptionId: string; actor: string },
): Promise<{ replayed: number }> {
  const { organizationId, subscriptionId, actor } = input;
  const deadBy = timestamp(deps.clock.now());
  const replayBatch = () =>
    deps.database.transaction(async (transaction) => {
      await refuseUnlessEnabled(transaction, organizationId, subscriptionId, "asked");
      const [result] = await transaction.query<{ replayed: number }>({
        ...sql.replayDeadLetters,
        values: [organizationId, subscriptionId, timestamp(deps.clock.now()), deadBy, BATCH],
      });
      const { replayed } = result!;
      if (replayed === 0) return 0;
      await recordAudit(deps, transaction, {
        organizationId,
        actor,
        action: "webhook.dead_letters_replayed",
        subjectType: "webhook",
        subjectId: subscriptionId,
        details: { replayed },
      });
      transaction.afterCommit(deps.deliveriesQueued);
      return replayed;
    });

  let total = 0;
  for (;;) {
    const replayed = await replayBatch();
    total += replayed;
    if (replayed < BATCH) return { replayed: total };
  }
}
