import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { insertLeads } from "./rows.ts";
import { startService } from "./service.ts";

/** GET /leads?limit=50 of an organization with 1,000,000 leads against one with 1,000, one connection, in turns. */
const ROUNDS = 5;
const SECONDS = 4;

const postgres = await startPostgres();
const service = await startService({ DATABASE_URL: postgres.url, ROLES: "api,admin" });
try {
  const [small, large] = [await service.newOrganization(), await service.newOrganization()];
  await insertLeads(postgres.database, small.organizationId, 1_000);
  await insertLeads(postgres.database, large.organizationId, 1_000_000);
  await postgres.client("psql", ["-c", "VACUUM ANALYZE leads"]);
  const measure = async (key: string) => {
    const { p50, statuses } = await load({
      url: service.publicUrl,
      connections: 1,
      seconds: SECONDS,
      method: "GET",
      path: "/v1/leads?limit=50",
      headers: { Authorization: `Bearer ${key}` },
    });
    if (Object.keys(statuses).join() !== "200") throw new Error(JSON.stringify(statuses));
    return p50;
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ small: await measure(small.key), large: await measure(large.key) });
  const ratio = median(rounds.map((round) => round.large / round.small));
  report("leads-list", [
    {
      what: "GET /leads?limit=50 at 1,000,000 leads, p50",
      measured: `${median(rounds.map((round) => round.large)).toFixed(2)} ms`,
      limit: `at 1,000 leads ${median(rounds.map((round) => round.small)).toFixed(2)} ms`,
      ratio,
      reach: "≤ 1.3",
      reached: ratio <= 1.3,
    },
  ]);
} finally {
  await service.stop();
  await postgres.stop();
}
