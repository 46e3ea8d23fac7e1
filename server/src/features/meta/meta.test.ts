import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

describe("meta, the event catalog, and what isn't available", () => {
  let app: TestService;
  let key: string;
  beforeAll(async () => {
    app = await startTestService({ environment: { PUBLIC_URL: "https://api.example.com/" } });
    ({ key } = await app.newOrganization());
  });
  afterAll(() => app.close());

  it.each(["/", "/v1", "/v1/", "/public/v1", "/public/v1/"])("answers at %s without a key", async (path) => {
    expect(await app.call(path)).toMatchObject({
      status: 200,
      body: { api: "Outreach API", version: "1.2.0", docs: "https://api.example.com/docs" },
    });
  });

  it("shows the 14 event types to any valid key", async () => {
    const { key: narrow } = await app.newOrganization({ scopes: ["voices:read"] });
    const { status, body } = await app.call<{ data: Record<string, unknown>[] }>("/v1/event-catalog", {
      key: narrow,
    });
    expect(status).toBe(200);
    expect(body.data.map(({ type }) => type)).toEqual([
      "lead.created",
      "lead.updated",
      "lead.disposition_changed",
      "call.started",
      "call.completed",
      "call.transcript_ready",
      "call.transferred",
      "call.ended",
      "appointment.booked",
      "appointment.rescheduled",
      "appointment.cancelled",
      "deal.status_changed",
      "billing.low_balance",
      "ai_engineer.onboarding_completed",
    ]);
    expect(body.data[0]).toEqual({
      type: "lead.created",
      description: expect.any(String),
      status: "active",
      data_fields: ["lead_id", "deduped", "source", "job_id"],
    });
    expect(body.data.filter(({ status }) => status === "reserved")).toHaveLength(2);
    expect(await app.call("/v1/event-catalog")).toMatchObject({ status: 401 });
  });

  it.each([
    ["GET", "/contacts", "contacts:read"],
    ["POST", "/contacts", "contacts:write"],
    ["GET", "/deals", "deals:read"],
    ["PATCH", "/deals/0190f0f0-0000-7000-8000-000000000000", "deals:write"],
    ["PATCH", "/deals/nope", "deals:write"],
  ])("%s %s looks at the key and its scope, then answers 501", async (method, path, required) => {
    const { key: narrow } = await app.newOrganization({ scopes: ["account:read"] });
    expect(await app.call(`/v1${path}`, { method })).toMatchObject({ status: 401 });
    expect(await app.call(`/v1${path}`, { method, key: narrow })).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope", required },
    });
    expect(await app.call(`/v1${path}`, { method, key })).toMatchObject({
      status: 501,
      body: { error: "feature_unavailable" },
    });
    if (method !== "GET") {
      expect(await app.call(`/v1${path}`, { method, key, json: { nope: 1 } })).toMatchObject({ status: 501 });
    }
  });
});
