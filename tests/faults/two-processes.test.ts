import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../server/src/testing/test-database.ts";
import { startWebhookSink, type WebhookSink } from "../../server/src/testing/webhook-sink.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { arrivals, createLead } from "./writers.ts";

/** Two services on one PostgreSQL, as on two machines. */

let testDatabase: TestDatabase;
let sink: WebhookSink;
let one: ServiceProcess;
let two: ServiceProcess;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  sink = await startWebhookSink();
  const { host = "", port = 5432, user, password, database } = testDatabase.connection;
  const query = new URLSearchParams({
    host,
    port: String(port),
    user: user ?? "",
    ...(password ? { password } : {}),
  });
  const environment = { DATABASE_URL: `postgres:///${database}?${query}` };
  [one, two] = await Promise.all([startServiceProcess(environment), startServiceProcess(environment)]);
});
afterAll(async () => {
  await Promise.all([one?.stop(), two?.stop()]);
  await sink?.close();
  await testDatabase?.drop();
});

async function subscribe(key: string, path: string): Promise<string> {
  const response = await fetch(`${one.publicUrl}/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ target_url: sink.url(path), event_types: ["*"] }),
  });
  expect(response.status).toBe(201);
  return String(((await response.json()) as { id: string }).id);
}

describe("two processes on one database", { timeout: 180_000 }, () => {
  it("send no delivery twice while both live, and none is forgotten", async () => {
    const { key } = await one.newOrganization();
    await subscribe(key, "/both");
    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        createLead({ url: (index % 2 === 0 ? one : two).publicUrl, key }, `+1415${2_000_000 + index}`, null),
      ),
    );
    const answers = await Promise.all(
      responses.map(async (response) => ({
        code: response.status,
        lead: (await response.json()) as { id: string },
      })),
    );
    expect(answers.filter(({ code }) => code !== 201)).toEqual([]);
    const ids = answers.map(({ lead }) => lead.id);
    const ofPath = () => sink.requests.filter(({ path }) => path === "/both");
    await sink.waitFor(() => ids.every((id) => arrivals(ofPath()).has(id)), 60_000);
    for (const id of ids) expect(arrivals(ofPath()).get(id)).toBe(1);
  });

  it("refuse a revoked key within five seconds, wherever it was revoked", async () => {
    const { organizationId, key } = await one.newOrganization();
    const status = async (service: ServiceProcess) =>
      (await fetch(`${service.publicUrl}/v1/leads`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await status(one), await status(two)]).toEqual([200, 200]);
    const { data } = (await one.admin(`/organizations/${organizationId}/keys`)) as { data: { id: string }[] };
    await one.admin(`/organizations/${organizationId}/keys/${data[0]!.id}/revoke`, {});
    expect(await status(one)).toBe(401);
    await expect.poll(() => status(two), { timeout: 5_000 }).toBe(401);
  });

  it("take over what a killed process was delivering", async () => {
    const { key } = await one.newOrganization();
    await subscribe(key, "/takeover");
    // The first request hangs; whoever sends it dies before it can record anything.
    sink.script("/takeover", { kind: "hang" }, { kind: "respond" });
    const response = await createLead({ url: one.publicUrl, key }, "+14155559999", null);
    const { id } = (await response.json()) as { id: string };
    const ofPath = () => sink.requests.filter(({ path }) => path === "/takeover");
    await sink.waitFor(() => ofPath().length === 1, 20_000);
    // Process one wakes itself first: it holds the delivery.
    await one.kill();
    await sink.waitFor(() => ofPath().length === 2, 60_000);
    const [first, second] = ofPath();
    expect(arrivals([second!]).has(id)).toBe(true);
    expect(second!.headers["x-service-event-id"]).toBe(first!.headers["x-service-event-id"]);
  });
});
