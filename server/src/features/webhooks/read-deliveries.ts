import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { Delivery, DeliveryDetails } from "./deliveries.schema.ts";
import * as sql from "./deliveries.sql.ts";

type ListedRow = Omit<Delivery, "attempts">;

type DeliveryRow = ListedRow & {
  event_data: Record<string, unknown> | null;
  event_occurred_at: string | null;
};

/** The delivery log, newest first, each with its attempts. */
export async function listDeliveries(
  deps: { database: Database },
  organizationId: string,
  filter: sql.DeliveryFilter,
  page: Page,
): Promise<Delivery[]> {
  const rows = await deps.database.query<ListedRow>(
    sql.listDeliveries(organizationId, filter, page.limit, page.offset),
  );
  const attempts = await attemptsOf(
    deps,
    organizationId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
}

/** A delivery with what is sent and every attempt. @throws DomainError not_found */
export async function readDelivery(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<DeliveryDetails> {
  const [row] = await deps.database.query<DeliveryRow>({ ...sql.readDelivery, values: [organizationId, id] });
  if (!row) throw noSuchDelivery();
  const attempts = (await attemptsOf(deps, organizationId, [row.id])).get(row.id) ?? [];
  const { event_data: data, event_occurred_at: occurredAt, ...delivery } = row;
  const event =
    data === null
      ? null
      : {
          id: row.event_id,
          type: row.event_type,
          organization_id: organizationId.toLowerCase(),
          occurred_at: occurredAt,
          data,
        };
  return { ...delivery, event, attempts };
}

async function attemptsOf(
  deps: { database: Database },
  organizationId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, Delivery["attempts"]>> {
  const rows = await deps.database.query<Delivery["attempts"][number] & { delivery_id: string }>({
    ...sql.listAttempts,
    values: [organizationId, deliveryIds],
  });
  const byDelivery = new Map<string, Delivery["attempts"]>();
  for (const { delivery_id: id, ...attempt } of rows) {
    const known = byDelivery.get(id);
    if (known) known.push(attempt);
    else byDelivery.set(id, [attempt]);
  }
  return byDelivery;
}

function noSuchDelivery(): DomainError {
  return new DomainError("not_found", "There is no such delivery.");
}
