import { expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../../database/database.ts";
import { migrate, readMigrations } from "../../database/migrate.ts";
import { idsFrom } from "../../ids.ts";
import { MIGRATIONS } from "../../service.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { readDelivery } from "./read-deliveries.ts";

it("a delivery keeps the attempts that were logged before they became part of it", async () => {
  const clock = systemClock();
  const newId = idsFrom(clock);
  const empty = await createTestDatabase(null);
  const database = openDatabase({ connection: empty.connection, poolSize: 1 });
  try {
    const migrations = await readMigrations(MIGRATIONS);
    await migrate(database, migrations.slice(0, 1), clock);
    const [organizationId, id, other] = [newId(), newId(), newId()];
    await database.query({
      text: `INSERT INTO webhook_deliveries (organization_id, id, event_id, subscription_id, state, attempt, attempts_made, created_at)
             SELECT $1, id, id, $4, 'delivered', 2, 2, now() FROM unnest(ARRAY[$2, $3]::uuid[]) AS id`,
      values: [organizationId, id, other, newId()],
    });
    await database.query({
      text: `INSERT INTO webhook_attempts VALUES
               ($1, $2, 2, 2, '2026-11-21T07:45:00.5Z', 7, 200, NULL, 'ok "é"'),
               ($1, $2, 1, 1, '2026-11-21T07:44:00Z', 10000, NULL, 'timeout', NULL)`,
      values: [organizationId, id],
    });
    await migrate(database, migrations, clock);
    expect((await readDelivery({ database }, organizationId, id)).attempts).toEqual([
      {
        number: 1,
        attempt: 1,
        started_at: "2026-11-21T07:44:00.000Z",
        duration_ms: 10_000,
        status_code: null,
        error: "timeout",
        response_excerpt: null,
      },
      {
        number: 2,
        attempt: 2,
        started_at: "2026-11-21T07:45:00.500Z",
        duration_ms: 7,
        status_code: 200,
        error: null,
        response_excerpt: 'ok "é"',
      },
    ]);
    expect(await readDelivery({ database }, organizationId, other)).toMatchObject({
      attempts: [],
      last_error: null,
    });
  } finally {
    await database.close();
    await empty.drop();
  }
});
