import { timestamp } from "../../database/database.ts";
import type { SubscriptionDeps } from "./create-subscription.ts";
import { discardQueued } from "./discard-queued.ts";
import { readEventTypes } from "./event-types.ts";
import { noSuchWebhook } from "./read-subscriptions.ts";
import * as sql from "./subscriptions.sql.ts";
import { parseTarget, vetLiteral, vetName } from "./target/index.ts";
import type { Webhook, WebhookPatch } from "./webhooks.schema.ts";

/**
 * Changes the fields sent. Enabling a disabled one resets `consecutive_failures` and `disabled_reason`; disabling discards what is
 * queued.
 * @param input `refuseUnlessActive` is called when every value is found good
 * @throws DomainError unknown_event_type, a code of the target check, what `refuseUnlessActive` throws, or not_found
 */
export async function patchSubscription(
  deps: SubscriptionDeps,
  input: { organizationId: string; id: string; body: WebhookPatch; refuseUnlessActive: () => void },
): Promise<Webhook> {
  const { organizationId, id, body } = input;
  const { allowPrivateTargets } = deps.targetCheck;
  const target = body.target_url === undefined ? null : parseTarget(body.target_url, allowPrivateTargets);
  const eventTypes = body.event_types === undefined ? null : readEventTypes(body.event_types);
  if (target && !vetLiteral(target)) await vetName(target, deps.targetCheck);
  input.refuseUnlessActive();

  return deps.database.transaction(async (transaction) => {
    const [before] = await transaction.query<{ enabled: boolean }>({
      ...sql.lockSubscription,
      values: [organizationId, id],
    });
    if (!before) throw noSuchWebhook();
    const now = deps.clock.now();
    // When enabling, too: what is left of before (a large backlog is discarded in portions) must not be sent now.
    if (body.enabled === false || (body.enabled && !before.enabled)) {
      await discardQueued(transaction, { organizationId, id }, now);
    }
    const [row] = await transaction.query<Webhook>({
      ...sql.updateSubscription,
      values: [organizationId, id, body.name, body.target_url, eventTypes, body.enabled, timestamp(now)],
    });
    return row!;
  });
}
