import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { startService } from "./service.ts";

/**
 * POST /leads/bulk with 5,000 rows, their events and the deliveries of two subscriptions, against psql: \copy into a temporary
 * table and one INSERT … SELECT that writes the same rows. In turns, each with fresh numbers.
 */
const ROUNDS = 7;
const ROWS = 5_000;

const postgres = await startPostgres();
const service = await startService({
  DATABASE_URL: postgres.url,
  ROLES: "api,admin",
  WEBHOOK_ALLOW_PRIVATE_TARGETS: "1",
});
try {
  const { organizationId, key } = await service.newOrganization();
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${service.publicUrl}/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  for (const _ of [1, 2]) await post("/webhooks", { target_url: "http://127.0.0.1:9/", event_types: ["*"] });

  const csvOf = (round: number) => {
    const lines = ["phone_number,first_name,last_name,email_address,consent_source"];
    for (let row = 0; row < ROWS; row++)
      lines.push(`+1${2_000_000_000 + round * ROWS + row},Ada,Lovelace,ada${row}@example.com,web_form`);
    return lines.join("\n");
  };
  const ours = async (round: number) => {
    const csv = csvOf(round);
    const started = performance.now();
    const answer = await post("/leads/bulk", { csv });
    if (answer.inserted !== ROWS) throw new Error(JSON.stringify(answer));
    return performance.now() - started;
  };
  const theirs = async (round: number) => {
    const file = await postgres.file(`import-${round}.csv`, csvOf(round));
    const script = await postgres.file("import.sql", psqlScript(organizationId, file));
    const output = await postgres.client("psql", ["-q", "-f", script, "-v", "ON_ERROR_STOP=1"]);
    return Number(/took ([\d.]+)/.exec(output)?.[1]);
  };
  // A first import each, not counted: plans and caches.
  await ours(0);
  await theirs(1);
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++)
    rounds.push({ ours: await ours(round * 2), theirs: await theirs(round * 2 + 1) });
  const ratio = median(rounds.map((round) => round.ours / round.theirs));
  report("import", [
    {
      what: `POST /leads/bulk, ${ROWS.toLocaleString("en")} rows`,
      measured: `${Math.round(median(rounds.map((round) => round.ours)))} ms`,
      limit: `psql ${Math.round(median(rounds.map((round) => round.theirs)))} ms`,
      ratio,
      reach: "≤ 1.5",
      reached: ratio <= 1.5,
    },
  ]);
} finally {
  await service.stop();
  await postgres.stop();
}

/** Measured by the server's clock inside of psql, so that starting psql doesn't count. */
function psqlScript(organizationId: string, file: string): string {
  return `
    CREATE TEMPORARY TABLE incoming (phone_number text, first_name text, last_name text, email_address text, consent_source text);
    SELECT extract(epoch FROM clock_timestamp()) * 1000 AS started \\gset
    \\copy incoming FROM '${file}' WITH (FORMAT csv, HEADER)
    WITH written AS (
      INSERT INTO leads (organization_id, id, phone_number, first_name, last_name, email_address, status, consent_source, source_tag, created_at, updated_at)
      SELECT '${organizationId}', uuid_v7_at(1790000000000), phone_number, first_name, last_name, email_address, 'new', consent_source, 'csv:x', now(), now()
      FROM incoming
      RETURNING organization_id, id
    ), recorded AS (
      INSERT INTO events (organization_id, id, type, data, occurred_at)
      SELECT organization_id, uuid_v7_at(1790000000000), 'lead.created', json_build_object('lead_id', id, 'source', 'csv_import', 'job_id', id), now()
      FROM written
      RETURNING organization_id, id, type, occurred_at
    )
    INSERT INTO webhook_deliveries (organization_id, id, event_id, subscription_id, state, next_attempt_at, created_at)
    SELECT recorded.organization_id, uuid_v7_at(1790000000000), recorded.id, subscription.id, 'pending', occurred_at, occurred_at
    FROM recorded
    JOIN webhook_subscriptions AS subscription
      ON subscription.organization_id = recorded.organization_id AND subscription.enabled
     AND subscription.event_types && ARRAY[recorded.type, '*'];
    SELECT 'took ' || (extract(epoch FROM clock_timestamp()) * 1000 - :started) AS took;
  `;
}
