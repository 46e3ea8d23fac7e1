import { randomUUID } from "node:crypto";
import { type Database, openDatabase } from "../server/src/database/database.ts";
import { createAgent } from "../server/src/features/agents/index.ts";
import { createCampaign } from "../server/src/features/campaigns/index.ts";
import { callingRules, createDecideCall, loadRules } from "../server/src/features/compliance/index.ts";
import { claimLeads } from "../server/src/features/dialing/claim-leads.ts";
import { dialerSettings } from "../server/src/features/dialing/index.ts";
import { addNumber } from "../server/src/features/numbers/index.ts";
import { createOrganization } from "../server/src/features/organizations/index.ts";
import { idsFrom } from "../server/src/ids.ts";
import { virtualClock } from "../server/src/simulation/virtual-clock.ts";
import { startPostgres } from "./postgres.ts";
import { median, quantile, report } from "./report.ts";

/**
 * How many leads four dialers decide on and claim in a second, when a million waits, and how long one claim takes then, beside one of
 * ten thousand. Each claim's attempts are settled at once, so that the campaign's lines stay free; that counts into the throughput.
 */
const MANY = Number(process.env.CLAIMS_LEADS ?? 1_000_000);
const FEW = 10_000;
const WORKERS = 4;
const SECONDS = 15;
const PAIRS = 60;
/** As many as a dialer of the service claims at once. */
const AT_ONCE = 64;
/** What one line that came free brings. */
const ONE = 1;
const ACTOR = "bench";

// Wednesday, when all of the United States may be called.
const clock = virtualClock(Date.UTC(2026, 2, 4, 18));
const newId = idsFrom(clock);
const postgres = await startPostgres();
const [host, port, user, name] = [/host=([^&]+)/, /port=(\d+)/, /user=(\w+)/, /^postgres:\/\/\/(\w+)/].map(
  (pattern) => decodeURIComponent(pattern.exec(postgres.url)![1]!),
);
const database = openDatabase({
  connection: { host: host!, port: Number(port), user: user!, database: name! },
  poolSize: 2 * WORKERS,
  settings: dialerSettings,
});
const deps = {
  ...{ database, clock, newId, deliveriesQueued() {}, campaignsChanged() {} },
  dialingMetrics: { attemptEnded() {} },
  decideCall: createDecideCall(loadRules(callingRules)),
};

interface Waiting {
  organizationId: string;
  campaignId: string;
}

async function campaignOf(leads: number): Promise<Waiting> {
  const { id: organizationId } = await createOrganization(deps, {
    ...{ actor: ACTOR, name: "Bench", concurrencyLimit: 10_000, balanceTokens: 1_000_000_000 },
  });
  const agent = await createAgent(deps, {
    ...{ organizationId, actor: ACTOR, managedBy: "api" },
    body: { name: "Bench", call_template: { system_prompt: "Bench." } },
  });
  await addNumber(deps, { organizationId, actor: ACTOR, phoneNumber: "+12125550150" });
  const { id: campaignId } = await createCampaign(deps, {
    ...{ organizationId, actor: ACTOR },
    body: { name: "Bench", status: "active", assigned_ai_agent_id: agent.id },
  });
  const at = "timestamptz '2026-03-01' + n * interval '1 millisecond'";
  await database.withConnection((client) =>
    client.query({
      text: `
        INSERT INTO leads (organization_id, id, phone_number, status, campaign_id, source_tag, created_at)
        SELECT $1, uuid_v7_at((extract(epoch FROM ${at}) * 1000)::bigint),
          '+1' || (ARRAY['212', '310', '312', '404', '602'])[1 + n % 5] || (2000000 + n / 5), 'new', $2, 'bench', ${at}
        FROM generate_series(1, $3::int) AS n`,
      values: [organizationId, campaignId, leads],
      // A million rows take longer than a request may.
      query_timeout: 600_000,
    } as never),
  );
  return { organizationId, campaignId };
}

async function settle(on: Database, { organizationId }: Waiting, ids: readonly string[]): Promise<void> {
  await on.query({
    name: "bench-settle",
    text: `
      WITH settled AS (
        UPDATE dial_attempts SET state = 'settled', outcome = 'completed' WHERE organization_id = $1 AND id = ANY ($2::uuid[])
        RETURNING campaign_id, lead_id
      )
      UPDATE dial_entries AS entry SET state = 'done', attempts = 1 FROM settled
      WHERE entry.organization_id = $1 AND entry.campaign_id = settled.campaign_id AND entry.lead_id = settled.lead_id`,
    values: [organizationId, ids],
  });
}

/** @returns milliseconds of the claim alone */
async function claim(
  waiting: Waiting,
  workerId: string,
  most: number,
): Promise<{ ms: number; claimed: number }> {
  const started = performance.now();
  const { attempts } = await claimLeads(deps, { ...waiting, workerId, most });
  const ms = performance.now() - started;
  if (attempts.length < most) throw new Error(`Only ${attempts.length} of ${most} were claimed.`);
  await settle(
    database,
    waiting,
    attempts.map(({ id }) => id),
  );
  return { ms, claimed: attempts.length };
}

async function throughput(waiting: Waiting): Promise<number> {
  let claimed = 0;
  const started = performance.now();
  const until = started + SECONDS * 1_000;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const workerId = randomUUID();
      while (performance.now() < until) {
        const { claimed: more } = await claim(waiting, workerId, AT_ONCE);
        claimed += more;
      }
    }),
  );
  return claimed / ((performance.now() - started) / 1_000);
}

try {
  const few = await campaignOf(FEW);
  const many = await campaignOf(MANY);
  const vacuum = () =>
    database.withConnection((client) =>
      client.query({ text: "VACUUM ANALYZE", query_timeout: 600_000 } as never),
    );
  await vacuum();
  const worker = randomUUID();
  const latency = async (most: number) => {
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let pair = 0; pair < PAIRS; pair++) {
      times.few.push((await claim(few, worker, most)).ms);
      times.many.push((await claim(many, worker, most)).ms);
    }
    return times;
  };
  // Fill caches. What the first claims prepared was planned for empty tables: the server would notice within a minute.
  for (const waiting of [few, many])
    for (let times = 0; times < 10; times++) await claim(waiting, worker, AT_ONCE);
  await vacuum();
  const [one, batch] = [await latency(ONE), await latency(AT_ONCE)];
  const perSecond = await throughput(many);
  const after = await latency(AT_ONCE);
  const compared = (what: string, times: { few: number[]; many: number[] }) => {
    const ratio = median(times.many) / median(times.few);
    return {
      what: `${what}, ${MANY.toLocaleString("en-US")} leads waiting, p50`,
      measured: `${median(times.many).toFixed(2)} ms (p95 ${quantile(times.many, 0.95).toFixed(2)})`,
      limit: `${FEW.toLocaleString("en-US")} leads: ${median(times.few).toFixed(2)} ms`,
      ratio,
      reach: "≤ 1.5",
      reached: ratio <= 1.5,
    };
  };
  report("claims", [
    {
      what: `verdict and claim, ${WORKERS} dialers, one campaign, ${MANY.toLocaleString("en-US")} leads waiting`,
      measured: `${Math.round(perSecond).toLocaleString("en-US")}/s`,
      reach: "≥ 500/s",
      reached: perSecond >= 500,
    },
    compared("a claim of one lead", one),
    compared(`a claim of ${AT_ONCE}`, batch),
    compared(`a claim of ${AT_ONCE} after that load`, after),
  ]);
} finally {
  await database.close();
  await postgres.stop();
}
