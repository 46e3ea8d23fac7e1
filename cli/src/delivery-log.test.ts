import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestService, type TestService } from "../../server/src/testing/harness.ts";
import { startReceiver } from "./listen/receiver.ts";
import { environmentOf, runCli } from "./testing/run-cli.ts";

let service: TestService;
let organizationId: string;
let key: string;

beforeAll(async () => {
  service = await startTestService({ environment: { WEBHOOK_ALLOW_PRIVATE_TARGETS: "1" } });
  ({ organizationId, key } = await service.newOrganization());
});
afterAll(() => service.close());

async function record(...words: string[]): Promise<Record<string, unknown>> {
  const run = await runCli([...words, "--org", organizationId, "--json"], environmentOf(service));
  expect(run).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

it("shows, replays and pings deliveries", async () => {
  const received: (string | null)[] = [];
  const receiver = await startReceiver({
    port: 0,
    status: 200,
    secrets: () => [],
    onDelivery: (delivery) => received.push(delivery.type),
  });
  try {
    const { body: webhook } = await service.call("/v1/webhooks", {
      key,
      json: { target_url: `http://localhost:${receiver.port}/`, event_types: ["lead.created"] },
    });
    const one = ["--webhook", webhook.id as string];
    await service.call("/v1/leads", { key, json: { phone_number: "2125550123" } });
    await vi.waitFor(() => expect(received).toEqual(["lead.created"]), { timeout: 10_000 });

    const delivery = await vi.waitFor(
      async () => {
        const { data } = await record(
          ...["deliveries", "list", "--subscription", webhook.id as string, "--state", "delivered"],
        );
        expect(data).toHaveLength(1);
        return (data as { id: string; event_type: string }[])[0]!;
      },
      { timeout: 10_000 },
    );
    expect(delivery.event_type).toBe("lead.created");
    expect(await record("deliveries", "show", "--delivery", delivery.id)).toMatchObject({
      id: delivery.id,
      attempts: [{ attempt: 1, status_code: 200, response_excerpt: "received\n" }],
    });

    await record("deliveries", "replay", "--delivery", delivery.id);
    await vi.waitFor(() => expect(received).toHaveLength(2), { timeout: 10_000 });
    await record("webhook", "ping", ...one);
    await vi.waitFor(() => expect(received.at(-1)).toBe("webhook.test"), { timeout: 10_000 });
    expect(await record("webhook", "replay-dead-letters", ...one)).toEqual({ replayed: 0 });
    expect((await record("webhook", "list")).data).toMatchObject([{ id: webhook.id, enabled: true }]);
    const table = await runCli(["deliveries", "list", "--org", organizationId], environmentOf(service));
    expect(table.stdout).toMatch(/^id +event_type +state/);
    expect(table.stdout).toContain("webhook.test");
  } finally {
    await receiver.close();
  }
});

it("shows an import with all of its row errors", async () => {
  const bad = Array.from({ length: 1200 }, (_, row) => `x${row}`);
  const { body: summary } = await service.call("/v1/leads/bulk", {
    key,
    json: { csv: `phone_number\n${bad.join("\n")}\n2125550124\n` },
  });
  expect(summary).toMatchObject({ inserted: 1, failed: 1200 });
  const job = await record("imports", "show", "--job", summary.job_id as string);
  expect(job).toMatchObject({ id: summary.job_id, failed: 1200, warnings: [] });
  expect(job.errors).toHaveLength(1200);
  expect((job.errors as unknown[])[1199]).toMatchObject({
    row_number: 1200,
    code: "invalid_or_missing_phone",
  });
  expect((await record("imports", "list")).data).toMatchObject([{ id: summary.job_id, total: 1201 }]);
});
