import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../server/src/testing/test-database.ts";
import { startWebhookSink, type WebhookSink } from "../../server/src/testing/webhook-sink.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import { arrivals, createLead, type Written } from "./writers.ts";

let testDatabase: TestDatabase;
let proxy: TcpProxy;
let sink: WebhookSink;
let service: ServiceProcess;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { host = "", port = 5432 } = inject("postgres");
  proxy = await startTcpProxy(
    host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port },
  );
  sink = await startWebhookSink();
  const { user, password, database } = testDatabase.connection;
  const credentials = password ? `${user}:${encodeURIComponent(password)}` : user;
  service = await startServiceProcess({
    DATABASE_URL: `postgres://${credentials}@127.0.0.1:${proxy.port}/${database}`,
  });
});
afterAll(async () => {
  await service?.stop();
  await sink?.close();
  await proxy?.close();
  await testDatabase?.drop();
});

describe("a database that is away for ten seconds", { timeout: 120_000 }, () => {
  it("costs envelopes with 500, and nothing else", async () => {
    const { key } = await service.newOrganization();
    const subscribed = await fetch(`${service.publicUrl}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ target_url: sink.url("/hook"), event_types: ["*"] }),
    });
    expect(subscribed.status).toBe(201);
    const written: Written[] = [];
    const write = async (phoneNumber: string) => {
      const response = await createLead({ url: service.publicUrl, key }, phoneNumber, null);
      const body = (await response.json()) as { id: string; error?: string; request_id?: string };
      if (response.status === 201) written.push({ id: body.id, phoneNumber, idempotencyKey: null });
      return { status: response.status, body, requestId: response.headers.get("x-request-id") };
    };
    expect((await write("+14155550001")).status).toBe(201);

    const away = performance.now();
    await proxy.cut();
    await service.untilReady(false);
    const notReady = await fetch(`${service.adminUrl}/readyz`);
    expect(notReady.status).toBe(503);
    expect(await notReady.json()).toMatchObject({
      status: "not_ready",
      reason: expect.stringContaining("database"),
    });
    expect((await fetch(`${service.adminUrl}/healthz`)).status).toBe(200);

    let refused = 0;
    for (let number = 0; performance.now() - away < 10_000; number++) {
      const answer = await write(`+1415556${String(number).padStart(4, "0")}`);
      expect(answer.status).toBe(500);
      expect(["internal_error", "auth_lookup_failed"]).toContain(answer.body.error);
      expect(answer.body.request_id).toBe(answer.requestId);
      refused++;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(refused).toBeGreaterThan(2);

    await proxy.mend();
    await service.untilReady();
    await expect
      .poll(async () => (await write("+14155550002")).status, { timeout: 15_000 })
      .toBeLessThan(300);
    await sink.waitFor((requests) => {
      const seen = arrivals(requests);
      return written.every(({ id }) => seen.has(id));
    }, 40_000);
  });
});
