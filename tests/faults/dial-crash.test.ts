import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../server/src/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../../server/src/testing/test-database.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

/** One of two services that dial a campaign together, killed for real in the middle of it. */

/** Everywhere, people may be called at this time. */
const TUESDAY = "2026-06-09T18:00:00Z";
/** Their phones ring for some seconds, and nobody answers. */
const AREA_CODES = [
  ...[212, 646, 917, 718, 347, 929, 516, 631, 914, 845, 518, 315, 607, 585, 716, 680],
  ...[213, 310, 323, 415, 510, 408, 619, 714, 312, 773, 847, 713, 214, 512, 303, 602],
];
const NUMBERS = AREA_CODES.map((areaCode) => `+1${areaCode}5550102`);

let testDatabase: TestDatabase;
let database: Database;
let one: ServiceProcess;
let two: ServiceProcess;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 2 });
  const { host = "", port = 5432, user, password, database: name } = testDatabase.connection;
  const query = new URLSearchParams({ host, port: String(port), user: user ?? "" });
  if (password) query.set("password", password);
  const environment = { DATABASE_URL: `postgres:///${name}?${query}`, CLOCK_START: TUESDAY };
  [one, two] = await Promise.all([startServiceProcess(environment), startServiceProcess(environment)]);
}, 90_000);
afterAll(async () => {
  await Promise.all([one?.stop(), two?.stop()]);
  await database?.close();
  await testDatabase?.drop();
});

async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean, withinMs: number): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (performance.now() > deadline)
      throw new Error(`It didn't happen within ${withinMs} ms: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const rows = <Row>(text: string, ...values: unknown[]) => database.query<Row>({ text, values });
const callsOf = async (service: ServiceProcess) => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
  return Number(/^outreach_calls_live (\d+)$/m.exec(text)?.[1]);
};

it("no number is dialed twice, and none is forgotten", async () => {
  const { organizationId, key } = await one.newOrganization();
  const path = `/organizations/${organizationId}`;
  await one.admin(path, { concurrency_limit: 8 }, "PATCH");
  await one.admin(`${path}/wallet/credits`, { tokens: 100_000 });
  await one.admin(`${path}/numbers`, { phone_number: "4155550199" });
  const agent = await one.admin(`${path}/agents`, { name: "Ada", system_prompt: "Be kind." });
  const campaign = await one.admin(`${path}/campaigns`, {
    name: "Spring",
    status: "paused",
    assigned_ai_agent_id: agent.id,
  });
  for (const phone_number of NUMBERS) {
    await fetch(`${one.publicUrl}/v1/leads`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ phone_number, campaign_id: campaign.id }),
    });
  }
  await one.admin(`${path}/campaigns/${campaign.id}/resume`, {});
  const attempts = () =>
    rows<{ lead_id: string; state: string; outcome: string | null; worker_id: string }>(
      "SELECT lead_id, state, outcome, worker_id FROM dial_attempts WHERE organization_id = $1",
      organizationId,
    );
  const leadsWithAttempts = async () => new Set((await attempts()).map(({ lead_id }) => lead_id)).size;

  // In the middle: calls ring in the one that dies, and leads are left.
  await until(
    () => callsOf(one),
    (calls) => calls >= 2,
    20_000,
  );
  await one.kill();
  expect(await leadsWithAttempts()).toBeLessThan(NUMBERS.length);
  const unknown = await rows<{ id: string }>(
    "SELECT id FROM calls WHERE organization_id = $1 AND ended_at IS NULL",
    organizationId,
  );

  // The other one dials on. What became of the calls of the dead is unknown: their numbers aren't dialed. They count
  // as calls that are up, and may have been all that were allowed.
  await two.admin(path, { concurrency_limit: 12 }, "PATCH");
  await until(leadsWithAttempts, (count) => count > unknown.length + 2, 20_000);
  // As if its leases had run out: 30 s later.
  const ago = "lease_until - interval '35 s'";
  await rows(
    `UPDATE calls SET lease_until = ${ago} WHERE organization_id = $1 AND id = ANY ($2) AND ended_at IS NULL`,
    organizationId,
    unknown.map(({ id }) => id),
  );
  await rows(
    `UPDATE dial_attempts SET lease_until = ${ago} WHERE organization_id = $1 AND state = 'claimed'`,
    organizationId,
  );
  const entries = await until(
    () =>
      rows<{ state: string; attempts: number; phone_number: string; due: string }>(
        "SELECT state, attempts, phone_number, due FROM dial_entries WHERE organization_id = $1",
        organizationId,
      ),
    (found) => found.every(({ attempts: made }) => made > 0),
    60_000,
  );
  expect(entries.map(({ phone_number }) => phone_number).sort()).toEqual([...NUMBERS].sort());
  for (const entry of entries) expect(entry).toMatchObject({ state: "waiting", attempts: 1, due: "retry" });

  const dialed = (await attempts()).filter(({ state }) => state !== "dropped");
  expect(dialed).toHaveLength(NUMBERS.length);
  expect(new Set(dialed.map(({ lead_id }) => lead_id)).size).toBe(NUMBERS.length);
  expect(new Set(dialed.map(({ worker_id }) => worker_id)).size).toBe(2);
  expect(new Set(dialed.map(({ outcome }) => outcome))).toEqual(new Set(["failed", "no_answer"]));
  const calls = await rows<{ to_number: string }>(
    "SELECT to_number FROM calls WHERE organization_id = $1",
    organizationId,
  );
  expect(calls.map(({ to_number }) => to_number).sort()).toEqual([...NUMBERS].sort());
  // Nothing is held any more for calls that are over.
  expect(await two.admin(`${path}/wallet`)).toMatchObject({ balance: 100_000, held: 0 });
  expect(await two.stop()).toBe(0);
}, 180_000);
