import { randomBytes } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { type Database, timestamp } from "../../database/database.ts";
import type { NewId } from "../../ids.ts";
import { readEventTypes } from "./event-types.ts";
import * as sql from "./subscriptions.sql.ts";
import { parseTarget, type TargetCheckDeps, vetLiteral, vetName } from "./target/index.ts";
import type { CreatedWebhook, Webhook, WebhookCreate } from "./webhooks.schema.ts";

export interface SubscriptionDeps {
  database: Database;
  clock: Clock;
  newId: NewId;
  /** How a target URL is judged, at creation and at every delivery. */
  targetCheck: TargetCheckDeps;
}

const LONGEST_NAME = 120;

/**
 * Makes a subscription with a secret of its own, which this answer alone shows.
 * @param input `refuseUnlessActive` is called when every value is found good
 * @throws DomainError unknown_event_type, a code of the target check, or what `refuseUnlessActive` throws
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  input: { organizationId: string; body: WebhookCreate; refuseUnlessActive: () => void },
): Promise<CreatedWebhook> {
  const { body } = input;
  const target = parseTarget(body.target_url, deps.targetCheck.allowPrivateTargets);
  const eventTypes = readEventTypes(body.event_types);
  // DNS last, and before anything holds a connection of the database: it may take seconds.
  if (!vetLiteral(target)) await vetName(target, deps.targetCheck);
  input.refuseUnlessActive();

  const secret = `whsec_${randomBytes(32).toString("hex")}`;
  const [row] = await deps.database.query<Webhook>({
    ...sql.insertSubscription,
    values: [
      input.organizationId,
      deps.newId(),
      body.name ?? target.hostname.slice(0, LONGEST_NAME),
      body.target_url,
      eventTypes,
      secret,
      timestamp(deps.clock.now()),
    ],
  });
  return { ...row!, secret };
}
