import { Pool } from "undici";
import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { startService } from "./service.ts";
import { startSink } from "./sink.ts";

/**
 * Signed deliveries to a receiver on loopback, from the first that arrives to the last that is recorded as delivered, against a
 * bare undici loop with 32 connections that posts the same body to the same receiver. In turns.
 */
const ROUNDS = 9;
const DELIVERIES = 40_000;
const CONNECTIONS = 32;

const postgres = await startPostgres();
const sink = await startSink();
const service = await startService({
  DATABASE_URL: postgres.url,
  ROLES: "api,admin,dispatcher",
  WEBHOOK_ALLOW_PRIVATE_TARGETS: "1",
});
try {
  const { organizationId, key } = await service.newOrganization();
  const response = await fetch(`${service.publicUrl}/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ target_url: `${sink.url}/hook`, event_types: ["*"] }),
  });
  const subscription = (await response.json()) as { id: string };

  const queued = async () => {
    const [row] = await postgres.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM webhook_deliveries WHERE organization_id = $1 AND state IN ('pending', 'retrying')`,
      values: [organizationId],
    });
    return row!.count;
  };
  const ours = async () => {
    await queue(organizationId, subscription.id);
    await sink.figures(true);
    const first = sink.arrived(1);
    await postgres.client("psql", ["-qc", "SELECT pg_notify('outreach_deliveries', 'bench ')"]);
    await first;
    const started = performance.now();
    await sink.arrived(DELIVERIES);
    while ((await queued()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return DELIVERIES / ((performance.now() - started) / 1000);
  };

  const bare = async () => {
    const pool = new Pool(sink.url, { connections: CONNECTIONS, pipelining: 1 });
    const body = JSON.stringify({
      id: organizationId,
      type: "lead.created",
      organization_id: organizationId,
      occurred_at: "2026-01-01T00:00:00.000Z",
      data: { lead_id: organizationId, deduped: false, source: "public_api" },
    });
    let left = DELIVERIES;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (left-- > 0) {
          const answer = await pool.request({
            method: "POST",
            path: "/hook",
            headers: { "content-type": "application/json" },
            body,
          });
          await answer.body.dump();
        }
      }),
    );
    const perSecond = DELIVERIES / ((performance.now() - started) / 1000);
    await pool.close();
    return perSecond;
  };

  await bare();
  await ours();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await ours(), bare: await bare() });
  const ratio = median(rounds.map((round) => round.ours / round.bare));
  report("dispatch", [
    {
      what: `${DELIVERIES.toLocaleString("en")} signed deliveries, claimed, posted and recorded`,
      measured: `${Math.round(median(rounds.map((round) => round.ours)))}/s`,
      limit: `bare undici loop ${Math.round(median(rounds.map((round) => round.bare)))}/s`,
      ratio,
      reach: "≥ 0.5",
      reached: ratio >= 0.5,
    },
  ]);
} finally {
  await service.stop();
  await sink.stop();
  await postgres.stop();
}

/** One after the other, as events come: ids and times ascend. */
async function queue(organizationId: string, subscriptionId: string): Promise<void> {
  await postgres.database.query({
    text: `
      WITH recorded AS (
        INSERT INTO events (organization_id, id, type, data, occurred_at)
        SELECT $1, uuid_v7_at((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 'lead.created',
               json_build_object('lead_id', $2::uuid, 'deduped', false, 'source', 'public_api'), clock_timestamp()
        FROM generate_series(1, $3::int)
        RETURNING organization_id, id, occurred_at
      )
      INSERT INTO webhook_deliveries (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at)
      SELECT organization_id, uuid_v7_at((extract(epoch FROM clock_timestamp()) * 1000)::bigint), id, $2, 'pending',
             occurred_at, occurred_at
      FROM recorded`,
    values: [organizationId, subscriptionId, DELIVERIES],
  });
}
