import type { Clock } from "../clock.ts";
import { type Transaction, timestamp } from "../database/database.ts";
import type { NewId } from "../ids.ts";
import type { EventData } from "./catalog.ts";
import * as sql from "./outbox.sql.ts";

/** What every verb that changes something gets: the clock, ids, and whom to tell that deliveries are due. */
export interface OutboxDeps {
  clock: Clock;
  newId: NewId;
  /** Called after a commit that queued deliveries: wakes the dispatchers. */
  deliveriesQueued(): void;
}

/** An event of the catalog, about to be reported. */
export type Reported = {
  [Type in keyof EventData]: { organizationId: string; type: Type; data: EventData[Type] };
}[keyof EventData];

/** Writes events and their deliveries in the transaction of the change they report. */
export async function recordEvents(
  deps: OutboxDeps,
  transaction: Transaction,
  events: readonly Reported[],
): Promise<void> {
  if (events.length === 0) return;
  const now = timestamp(deps.clock.now());
  const [result] = await transaction.query<{ queued: number }>({
    ...sql.recordEvents,
    values: [
      events.map((event) => event.organizationId),
      events.map(() => deps.newId()),
      events.map((event) => event.type),
      events.map((event) => JSON.stringify(event.data)),
      events.map(() => now),
    ],
  });
  if (result!.queued > 0) transaction.afterCommit(deps.deliveriesQueued);
}
