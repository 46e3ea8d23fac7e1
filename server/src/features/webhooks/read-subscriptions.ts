import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import * as sql from "./subscriptions.sql.ts";
import type { Webhook } from "./webhooks.schema.ts";

/** @throws DomainError not_found */
export async function readSubscription(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<Webhook> {
  const [row] = await deps.database.query<Webhook>({ ...sql.readSubscription, values: [organizationId, id] });
  if (!row) throw noSuchWebhook();
  return row;
}

/** Newest first. */
export async function listSubscriptions(
  deps: { database: Database },
  organizationId: string,
  page: Page,
): Promise<Webhook[]> {
  return deps.database.query<Webhook>({
    ...sql.listSubscriptions,
    values: [organizationId, page.limit, page.offset],
  });
}

export function noSuchWebhook(): DomainError {
  return new DomainError("not_found", "There is no such webhook.");
}
