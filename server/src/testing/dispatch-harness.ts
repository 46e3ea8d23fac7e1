import { type Database, openDatabase, timestamp } from "../database/database.ts";
import { recordEvents } from "../events/outbox.ts";
import { createOrganization } from "../features/organizations/index.ts";
import type { Delivery } from "../features/webhooks/deliveries.schema.ts";
import { createDeliveryClient, type DeliveryClient } from "../features/webhooks/delivery/index.ts";
import { dispatcherSettings } from "../features/webhooks/dispatch/dispatch.sql.ts";
import { type Dispatcher, startDispatcher } from "../features/webhooks/dispatch/dispatcher.ts";
import type { Shares } from "../features/webhooks/dispatch/lanes.ts";
import { idsFrom, type NewId } from "../ids.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { createTestDatabase } from "./test-database.ts";

export interface DeliveryRow {
  id: string;
  event_id: string;
  subscription_id: string;
  state: string;
  attempt: number;
  attempts_made: number;
  next_attempt_at: string | null;
  lease_until: string | null;
  finished_at: string | null;
  attempts: Delivery["attempts"];
}

export interface SubscriptionRow {
  id: string;
  enabled: boolean;
  consecutive_failures: number;
  disabled_reason: string | null;
  last_success_at: string | null;
  last_failure_at: string | null;
}

export interface DispatchHarness {
  database: Database;
  clock: ManualClock;
  newId: NewId;
  organizationId: string;
  /** A subscription to every event, or to these types. Returns its id. */
  subscribe(targetUrl: string, eventTypes?: string[]): Promise<string>;
  /** Reports events that every matching subscription gets, and wakes the dispatchers. */
  report(count?: number): Promise<void>;
  /** Queues deliveries for one subscription, due at once or at `dueAt`, and wakes nobody. */
  queue(subscriptionId: string, count: number, dueAt?: number): Promise<void>;
  /** A running dispatcher; stopped when the harness closes, if not before. */
  dispatcher(options?: {
    client?: Pick<DeliveryClient, "deliver">;
    timeoutMs?: number;
    shares?: Shares;
    database?: Database;
    clock?: ManualClock;
  }): Dispatcher;
  deliveries(subscriptionId?: string): Promise<DeliveryRow[]>;
  subscription(id: string): Promise<SubscriptionRow>;
  /** What the dispatchers reported as failing. */
  errors: unknown[];
  close(): Promise<void>;
}

/** Dispatchers on a database of their own, with a clock moved by hand and targets on loopback. */
export async function startDispatchHarness(): Promise<DispatchHarness> {
  const testDatabase = await createTestDatabase();
  const { connection } = testDatabase;
  const database = openDatabase({ connection, poolSize: 10, settings: dispatcherSettings });
  const clock = manualClock();
  const newId = idsFrom(clock);
  const dispatchers: Dispatcher[] = [];
  const clients: DeliveryClient[] = [];
  const errors: unknown[] = [];
  const organization = await createOrganization({ database, clock, newId }, { actor: "test", name: "Test" });
  const organizationId = organization.id;
  const wake = () => {
    for (const dispatcher of dispatchers) dispatcher.wake();
  };

  return {
    database,
    clock,
    newId,
    organizationId,
    errors,
    async subscribe(targetUrl, eventTypes = ["*"]) {
      const id = newId();
      await database.query({
        text: `INSERT INTO webhook_subscriptions
                 (organization_id, id, name, target_url, event_types, secret, enabled, created_at, updated_at)
               VALUES ($1, $2, 'test', $3, $4, 'whsec_test', true, $5, $5)`,
        values: [organizationId, id, targetUrl, eventTypes, timestamp(clock.now())],
      });
      return id;
    },
    async report(count = 1) {
      const deps = { clock, newId, deliveriesQueued: wake };
      await database.transaction((transaction) =>
        recordEvents(
          deps,
          transaction,
          Array.from({ length: count }, () => ({
            organizationId,
            type: "lead.created" as const,
            data: { lead_id: newId(), deduped: false as const, source: "public_api" as const },
          })),
        ),
      );
    },
    async queue(subscriptionId, count, dueAt = clock.now()) {
      await database.query({
        text: `
          WITH event AS (
            INSERT INTO events (organization_id, id, type, data, occurred_at)
            SELECT $1, uuid_v7_at($5::bigint), 'lead.created', '{"lead_id":"x"}', $4 FROM generate_series(1, $3::int)
            RETURNING id
          )
          INSERT INTO webhook_deliveries
            (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at)
          SELECT $1, uuid_v7_at($5::bigint), event.id, $2, 'pending', $6, $4 FROM event`,
        values: [
          organizationId,
          subscriptionId,
          count,
          timestamp(clock.now()),
          clock.now(),
          timestamp(dueAt),
        ],
      });
    },
    dispatcher(options = {}) {
      let { client } = options;
      if (!client) {
        const own = createDeliveryClient({
          resolver: { resolve: () => Promise.reject(new Error("no names here")) },
          allowPrivateTargets: true,
          ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
        });
        clients.push(own);
        client = own;
      }
      const dispatcher = startDispatcher({
        database: options.database ?? database,
        clock: options.clock ?? clock,
        newId,
        client,
        ...(options.shares ? { shares: options.shares } : {}),
        onError: (_, error) => errors.push(error),
        onDisabled() {},
      });
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    deliveries: (subscriptionId) =>
      database.query<DeliveryRow>({
        text: `SELECT * FROM webhook_deliveries WHERE $1::uuid IS NULL OR subscription_id = $1 ORDER BY id`,
        values: [subscriptionId],
      }),
    async subscription(id) {
      const [row] = await database.query<SubscriptionRow>({
        text: "SELECT * FROM webhook_subscriptions WHERE id = $1",
        values: [id],
      });
      return row!;
    },
    async close() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
      await Promise.all(clients.map((client) => client.close()));
      await database.close();
      await testDatabase.drop();
    },
  };
}

/** Asks again until the condition holds; fails with the last value after ten seconds. */
export async function until<T>(
  read: () => Promise<T> | T,
  done: (value: T) => boolean,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
