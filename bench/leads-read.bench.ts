import { readLead } from "../server/src/features/leads/leads.sql.ts";
import { startBareServer } from "./bare-server.ts";
import { load } from "./load.ts";
import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { insertLeads } from "./rows.ts";
import { startService } from "./service.ts";

/**
 * GET /leads/{id} with everything on, against a bare Fastify handler in a process of its own that runs the same SELECT
 * on the same database. They take turns.
 */
const ROUNDS = 5;
const SECONDS = 6;
const CONNECTIONS = 32;

const postgres = await startPostgres();
const service = await startService({ DATABASE_URL: postgres.url, ROLES: "api,admin" });
const bare = await startBareServer({ databaseUrl: postgres.url, statement: readLead.text });
try {
  const { organizationId, key } = await service.newOrganization();
  const [id] = await insertLeads(postgres.database, organizationId, 1000);
  const path = `/leads/${id}`;
  const ratios = [];
  let last = { ours: 0, bare: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await load({
      url: service.publicUrl,
      connections: CONNECTIONS,
      seconds: SECONDS,
      method: "GET",
      path: `/v1${path}`,
      headers: { Authorization: `Bearer ${key}` },
    });
    const limit = await load({
      url: bare.url,
      connections: CONNECTIONS,
      seconds: SECONDS,
      method: "GET",
      path: `${path}?organization_id=${organizationId}`,
      headers: {},
    });
    for (const { statuses } of [ours, limit]) {
      if (Object.keys(statuses).join() !== "200")
        throw new Error(`not every read was answered: ${JSON.stringify(statuses)}`);
    }
    ratios.push(ours.requestsPerSecond / limit.requestsPerSecond);
    last = { ours: ours.requestsPerSecond, bare: limit.requestsPerSecond };
  }
  const ratio = median(ratios);
  report("leads-read", [
    {
      what: `GET /leads/{id}, ${CONNECTIONS} connections`,
      measured: `${Math.round(last.ours)}/s`,
      limit: `bare Fastify handler ${Math.round(last.bare)}/s`,
      ratio,
      reach: "≥ 0.8",
      reached: ratio >= 0.8,
    },
  ]);
} finally {
  await bare.stop();
  await service.stop();
  await postgres.stop();
}
