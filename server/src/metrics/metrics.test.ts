import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../testing/harness.ts";

let app: TestService;
beforeAll(async () => {
  app = await startTestService();
});
afterAll(() => app.close());

describe("/metrics", () => {
  it("tells requests by route template and status, refusals, the queue and the pool, without a token", async () => {
    const { key } = await app.newOrganization({ rateLimit: 2 });
    const { body: lead } = await app.call("/v1/leads", { key, json: { phone_number: "4155550100" } });
    await app.call(`/v1/leads/${lead.id}`, { key });
    await app.call("/v1/leads", { key });
    await app.call("/v1/nope/4155550100", { method: "PURGE" });

    const { status, headers, body } = await app.callPrivate<string>("/metrics", { key: "" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/plain");
    expect(body).toContain(
      'outreach_http_requests_total{api="public",method="POST",route="/leads",status="201"} 1',
    );
    expect(body).toContain(
      'outreach_http_requests_total{api="public",method="GET",route="/leads/:id",status="200"} 1',
    );
    expect(body).toContain(
      'outreach_http_requests_total{api="public",method="GET",route="/leads",status="429"} 1',
    );
    expect(body).toContain(
      'outreach_http_requests_total{api="public",method="(any)",route="(unknown)",status="404"} 1',
    );
    expect(body).toMatch(
      /outreach_http_request_duration_seconds_count\{api="public",method="POST",route="\/leads"\} 1/,
    );
    expect(body).toContain("outreach_rate_limit_refusals_total 1");
    expect(body).toContain('outreach_webhook_deliveries{state="pending"} 0');
    expect(body).toContain("outreach_webhook_oldest_due_seconds 0");
    expect(body).toMatch(/outreach_database_pool_connections\{state="max"\} \d+/);
    expect(body).not.toContain("4155550100");
  });

  it("is not served on the public port", async () => {
    for (const path of ["/metrics", "/healthz", "/readyz"]) expect((await app.call(path)).status).toBe(404);
  });
});
