import type { Database } from "../../database/database.ts";
import { DomainError } from "../../domain-error.ts";
import type { Page } from "../../http/schema.ts";
import type { Delivery, DeliveryDetails } from "./deliveries.schema.ts";
import * as sql from "./deliveries.sql.ts";

type ListedRow = Omit<Delivery, "last_status_code" | "last_error">;

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
  return rows.map(withLastAttempt);
}

/** A delivery with what is sent and every attempt. @throws DomainError not_found */
export async function readDelivery(
  deps: { database: Database },
  organizationId: string,
  id: string,
): Promise<DeliveryDetails> {
  const [row] = await deps.database.query<DeliveryRow>({ ...sql.readDelivery, values: [organizationId, id] });
  if (!row) throw noSuchDelivery();
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
  return { ...withLastAttempt(delivery), event };
}

function withLastAttempt(row: ListedRow): Delivery {
  const last = row.attempts.at(-1);
  return { ...row, last_status_code: last?.status_code ?? null, last_error: last?.error ?? null };
}

function noSuchDelivery(): DomainError {
  return new DomainError("not_found", "There is no such delivery.");
}
