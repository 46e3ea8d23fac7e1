import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startWebhookSink, type WebhookSink } from "../../server/src/testing/webhook-sink.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";
import { arrivals, createLead, startWriters, type Written } from "./writers.ts";

/** The service with its own database, killed for real in the middle of concurrent writes. */

let dataDir: string;
let sink: WebhookSink;
let service: ServiceProcess;
let environment: Record<string, string>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "outreach-faults-"));
  sink = await startWebhookSink();
  service = await startServiceProcess({ DATA_DIR: dataDir });
  environment = {
    DATA_DIR: dataDir,
    PORT: new URL(service.publicUrl).port,
    ADMIN_PORT: new URL(service.adminUrl).port,
  };
});
afterEach(async () => {
  await service.stop();
  await sink.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function subscribe(key: string): Promise<void> {
  const response = await fetch(`${service.publicUrl}/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ target_url: sink.url("/hook"), event_types: ["*"] }),
  });
  expect(response.status).toBe(201);
}

/** Every acknowledged lead is there, its event arrives, and its idempotency key still has its answer. */
async function expectNothingLost(written: readonly Written[], key: string): Promise<void> {
  for (const { id, phoneNumber, idempotencyKey } of written) {
    const read = await fetch(`${service.publicUrl}/v1/leads/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(read.status).toBe(200);
    expect(await read.json()).toMatchObject({ id, phone_number: phoneNumber });
    if (!idempotencyKey) continue;
    const again = await createLead({ url: service.publicUrl, key }, phoneNumber, idempotencyKey);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await again.json()).toMatchObject({ id });
  }
  await sink.waitFor((requests) => {
    const seen = arrivals(requests);
    return written.every(({ id }) => seen.has(id));
  }, 60_000);
}

describe("kill -9 in the middle of concurrent writes", { timeout: 180_000 }, () => {
  it("of the service loses nothing that was acknowledged", async () => {
    const { key } = await service.newOrganization();
    await subscribe(key);
    const writers = startWriters({ url: service.publicUrl, key, clients: 16 });
    await writers.untilAcknowledged(200);
    await service.kill();
    await writers.stop();

    service = await startServiceProcess(environment);
    expect(writers.acknowledged.length).toBeGreaterThanOrEqual(200);
    await expectNothingLost(writers.acknowledged, key);

    // A request that died without an answer may be sent again: it is done, or done now, or still held for a minute.
    for (const { phoneNumber, idempotencyKey } of writers.unanswered) {
      const again = await createLead({ url: service.publicUrl, key }, phoneNumber, idempotencyKey);
      expect([201, 409]).toContain(again.status);
      if (again.status === 409) expect(again.headers.get("retry-after")).toBe("1");
    }
  });

  it("of PostgreSQL loses nothing, and the service recovers by itself", async () => {
    const { key } = await service.newOrganization();
    await subscribe(key);
    const writers = startWriters({ url: service.publicUrl, key, clients: 16 });
    await writers.untilAcknowledged(150);
    const before = writers.acknowledged.length;
    const postmaster = Number(
      (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[0],
    );
    process.kill(postmaster, "SIGKILL");
    await writers.untilAcknowledged(before + 150);
    await writers.stop();
    await service.untilReady();
    await expectNothingLost(writers.acknowledged, key);
  });
});
