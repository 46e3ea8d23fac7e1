import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { get } from "node:http";
import { pipeline } from "node:stream/promises";
import { startPostgres } from "./postgres.ts";
import { median, report } from "./report.ts";
import { insertLeads } from "./rows.ts";
import { startService } from "./service.ts";

/** GET /leads.csv of 1,000,000 leads to a file, against psql's \copy of the same columns to a file, in turns. */
const ROUNDS = 3;
const LEADS = 1_000_000;

const postgres = await startPostgres();
const service = await startService({ DATABASE_URL: postgres.url, ROLES: "api,admin" });
try {
  const { organizationId, key } = await service.newOrganization();
  await insertLeads(postgres.database, organizationId, LEADS);
  await postgres.client("psql", ["-c", "VACUUM ANALYZE leads"]);
  const ours = await postgres.file("ours.csv");
  const theirs = await postgres.file("theirs.csv");
  const copy = `\\copy (SELECT first_name, last_name, phone_number, email_address, status, credit_score, annual_income, consent_source, consented_at, created_at, id AS lead_id FROM leads WHERE organization_id = '${organizationId}' ORDER BY created_at, id) TO '${theirs}' WITH (FORMAT csv, HEADER)`;

  let grown = 0;
  const download = async () => {
    const before = service.residentMemory();
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, service.residentMemory());
    }, 20);
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(
        `${service.publicUrl}/v1/leads.csv`,
        { headers: { authorization: `Bearer ${key}` } },
        (response) => {
          if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
          pipeline(response, createWriteStream(ours)).then(resolve, reject);
        },
      ).on("error", reject);
    });
    const seconds = (performance.now() - started) / 1000;
    clearInterval(watch);
    grown = Math.max(grown, highest - before);
    return seconds;
  };
  const psql = async () => {
    const started = performance.now();
    await postgres.client("psql", ["-c", copy]);
    return (performance.now() - started) / 1000;
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await download(), theirs: await psql() });
  const throughput = median(rounds.map((round) => round.theirs / round.ours));
  const megabytes = (await stat(ours)).size / 2 ** 20;
  report("export", [
    {
      what: `GET /leads.csv, ${LEADS.toLocaleString("en")} leads, ${Math.round(megabytes)} MiB`,
      measured: `${median(rounds.map((round) => round.ours)).toFixed(1)} s`,
      limit: `psql \\copy ${median(rounds.map((round) => round.theirs)).toFixed(1)} s`,
      ratio: throughput,
      reach: "≥ 0.7",
      reached: throughput >= 0.7,
    },
    {
      what: "resident memory grows by",
      measured: `${Math.round(grown / 2 ** 20)} MiB`,
      reach: "< 64 MiB",
      reached: grown < 64 * 2 ** 20,
    },
  ]);
} finally {
  await service.stop();
  await postgres.stop();
}
