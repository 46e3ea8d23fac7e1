import { upsertLeads } from "../server/src/features/leads/leads.sql.ts";
import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { startService } from "./service.ts";

/**
 * POST /leads over HTTP with everything on (key, rate limit, validation, log, two matching subscriptions), against pgbench
 * making the same writes as one statement each: at 64 connections throughput, at one connection latency.
 */
const ROUNDS = 3;
const SECONDS = 8;

const postgres = await startPostgres();
const service = await startService({
  DATABASE_URL: postgres.url,
  ROLES: "api,admin",
  WEBHOOK_ALLOW_PRIVATE_TARGETS: "1",
});
try {
  const { organizationId, key } = await service.newOrganization();
  for (const _ of [1, 2]) {
    const response = await fetch(`${service.publicUrl}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ target_url: "http://127.0.0.1:9/", event_types: ["*"] }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
  const script = await postgres.file("write.sql", pgbenchScript(organizationId));

  const limit = async (clients: number) => {
    const output = await postgres.client("pgbench", [
      "-n",
      "-M",
      "prepared",
      "-f",
      script,
      "-c",
      String(clients),
      "-j",
      clients > 1 ? "2" : "1",
      "-T",
      String(SECONDS),
    ]);
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1]),
      latency: Number(/latency average = ([\d.]+) ms/.exec(output)?.[1]),
    };
  };
  const ours = (connections: number) =>
    load({
      url: service.publicUrl,
      connections,
      seconds: SECONDS,
      method: "POST",
      path: "/v1/leads",
      headers: { Authorization: `Bearer ${key}` },
      body: "random-lead",
    });

  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const many = { ours: await ours(64), limit: await limit(64) };
    const one = { ours: await ours(1), limit: await limit(1) };
    const refused = Object.entries({ ...many.ours.statuses, ...one.ours.statuses }).filter(
      ([status]) => !status.startsWith("20"),
    );
    if (refused.length > 0) throw new Error(`not every write was taken: ${JSON.stringify(refused)}`);
    rounds.push({ many, one });
  }
  const throughput = median(rounds.map(({ many }) => many.ours.requestsPerSecond / many.limit.perSecond));
  const latency = median(rounds.map(({ one }) => one.ours.p50 / one.limit.latency));
  const last = rounds.at(-1)!;
  report("leads-write", [
    {
      what: "POST /leads, 64 connections",
      measured: `${Math.round(last.many.ours.requestsPerSecond)}/s (p50 ${last.many.ours.p50.toFixed(1)} ms, p99 ${last.many.ours.p99.toFixed(1)} ms)`,
      limit: `pgbench ${Math.round(last.many.limit.perSecond)}/s`,
      ratio: throughput,
      reach: "≥ 1.5",
      reached: throughput >= 1.5,
    },
    {
      what: "POST /leads, 1 connection, p50",
      measured: `${last.one.ours.p50.toFixed(2)} ms`,
      limit: `pgbench ${last.one.limit.latency.toFixed(2)} ms`,
      ratio: latency,
      reach: "≤ 2",
      reached: latency <= 2,
    },
  ]);
} finally {
  await service.stop();
  await postgres.stop();
}

/** The service's own statement for one lead, its parameters filled in by pgbench. */
function pgbenchScript(organizationId: string): string {
  const parameters = [
    `ARRAY['${organizationId}'::uuid]`,
    "ARRAY[uuid_v7_at((:now)::bigint)]",
    "ARRAY[uuid_v7_at((:now)::bigint)]",
    "ARRAY['+44' || (:n)::bigint]",
    "ARRAY['Ada']",
    "ARRAY['Lovelace']",
    "ARRAY['ada@example.com']",
    "ARRAY['new']",
    "ARRAY[NULL]",
    "ARRAY['web_form']",
    "ARRAY[NULL]",
    "ARRAY[NULL]",
    "ARRAY[NULL]",
    "ARRAY['benchmark']",
    "ARRAY[1 + 2 + 4 + 128 + 512]",
    "to_timestamp((:now)::bigint / 1000.0)",
  ];
  const statement = upsertLeads.text
    .replaceAll(/\$(\d+)/g, (_, number) => parameters[Number(number) - 1]!)

    // pgbench takes a colon before a word for a variable of its own, inside of text too.
    .replaceAll(
      /'api:(\w+)(:?)'/g,
      (_, word, colon) => `'api' || chr(58) || '${word}'${colon && " || chr(58)"}`,
    )
    .replaceAll("\n", " ");
  return `\\set n random(1000000000, 9999999999)\n\\set now random(1790000000000, 1790000100000)\n${statement};\n`;
}
