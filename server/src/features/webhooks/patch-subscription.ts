import { timestamp } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { SubscriptionDeps } from "./create-subscription.ts";
import { discardQueued } from "./discard-queued.ts";
import { readEventTypes } from "./event-types.ts";
import { noSuchWebhook } from "./read-subscriptions.ts";
import * as sql from "./subscriptions.sql.ts";
import { parseTarget, vetLiteral, vetName } from "./target/index.ts";
import type { Webhook, WebhookPatch } from "./webhooks.schema.ts";

/**
 * Changes the fields sent. Enabling resets `consecutive_failures` and `disabled_reason`; disabling discards what is
 * queued.
 * @throws DomainError nothing_to_update, not_found, unknown_event_type, or a code of the target check
 */
export async function patchSubscription(
  deps: SubscriptionDeps,
  input: { organizationId: string; id: string; body: WebhookPatch },
): Promise<Webhook> {
  const { organizationId, id, body } = input;
  if (Object.keys(body).length === 0)
    throw new DomainError("nothing_to_update", "Name at least one field to change.");
  const { allowPrivateTargets } = deps.targetCheck;
  const target = body.target_url === undefined ? null : parseTarget(body.target_url, allowPrivateTargets);
  const eventTypes = body.event_types === undefined ? null : readEventTypes(body.event_types);
  if (target && !vetLiteral(target)) await vetName(target, deps.targetCheck);

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
