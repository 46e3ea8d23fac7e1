import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

describe("leads", () => {
  let app: TestService;
  let key: string;
  beforeAll(async () => {
    app = await startTestService();
    ({ key } = await app.newOrganization());
  });
  afterAll(() => app.close());

  it("stores a lead and reads it back", async () => {
    const created = await app.call("/v1/leads", {
      key,
      json: { phone_number: "(415) 555-0100", first_name: "Ada" },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        phone_number: "+14155550100",
        first_name: "Ada",
        full_name: "Ada",
        status: "new",
        consent_source: "public_api",
        source_tag: "api:standalone",
      },
    });
    const read = await app.call(`/public/v1/leads/${created.body.id}/`, { key });
    expect(read.body).toEqual(created.body);
  });

  it("overwrites only the fields sent when the number is known", async () => {
    const first = await app.call("/v1/leads", {
      key,
      json: {
        phone_number: "4155550101",
        first_name: "Ada",
        notes: "n",
        status: "hot",
        consent_source: "form",
      },
    });
    const second = await app.call("/v1/leads", {
      key,
      json: { phone_number: "+1 415 555 0101", last_name: "L", notes: null },
    });
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      id: first.body.id,
      first_name: "Ada",
      last_name: "L",
      notes: null,
      status: "new",
      consent_source: "public_api",
    });
  });

  it("creates one lead from 50 concurrent creates of one phone", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.call("/v1/leads", { key, json: { phone_number: "4155550102" } })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(49);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  });

  it("remembers an answer for its idempotency key", async () => {
    const send = (json: unknown) =>
      app.call("/v1/leads", { key, json, headers: { "idempotency-key": "k1" } });
    const first = await send({ phone_number: "4155550103", first_name: "A" });
    const again = await send({ first_name: "A", phone_number: "4155550103" });
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await send({ phone_number: "4155550104" })).toMatchObject({
      status: 422,
      body: { error: "idempotency_key_reused" },
    });
    const refused = await app.call("/v1/leads", { key, json: {}, headers: { "idempotency-key": "k2" } });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_phone_number" } });
    const refusedAgain = await app.call("/v1/leads", { key, json: {}, headers: { "idempotency-key": "k2" } });
    expect(refusedAgain.headers.get("idempotency-replayed")).toBe("true");
    expect(refusedAgain.body.request_id).toBe(refusedAgain.headers.get("x-request-id"));
  });

  it.each([
    [{ phone_number: "4155550105", organization_id: "x" }, "unknown_field:organization_id"],
    [{}, "invalid_phone_number"],
    [{ phone_number: 4155550105 }, "invalid_phone_number"],
    [{ phone_number: "4155550105", credit_score: 299 }, "invalid_request"],
    [{ phone_number: "4155550105", credit_score: "700" }, "invalid_request"],
    [{ phone_number: "4155550105", annual_income: 0 }, "invalid_request"],
    [{ phone_number: "4155550105", first_name: "a\u0000" }, "invalid_request"],
    [{ phone_number: "4155550105", campaign_id: "nope" }, "invalid_request"],
    [[], "invalid_request"],
  ])("refuses %j with %s", async (json, error) => {
    expect(await app.call("/v1/leads", { key, json })).toMatchObject({ status: 400, body: { error } });
  });

  it("patches", async () => {
    const { body: lead } = await app.call("/v1/leads", { key, json: { phone_number: "4155550106" } });
    const path = `/v1/leads/${lead.id}`;
    expect(
      await app.call(path, { key, method: "PATCH", json: { status: "x", first_name: "B" } }),
    ).toMatchObject({ status: 200, body: { status: "x", first_name: "B" } });
    expect(await app.call(path, { key, method: "PATCH" })).toMatchObject({
      status: 400,
      body: { error: "nothing_to_update" },
    });
    expect(
      await app.call(path, { key, method: "PATCH", json: { phone_number: "4155550106" } }),
    ).toMatchObject({ status: 400, body: { error: "phone_number_immutable" } });
    const events = await app.database.query<{ type: string; data: unknown }>({
      text: "SELECT type, data FROM events WHERE data->>'lead_id' = $1 ORDER BY id",
      values: [lead.id],
    });
    expect(events).toEqual([
      { type: "lead.created", data: { lead_id: lead.id, deduped: false, source: "public_api" } },
      {
        type: "lead.disposition_changed",
        data: { lead_id: lead.id, changes: ["status", "first_name"], source: "public_api" },
      },
    ]);
  });

  it("answers 404 with docs on an unknown path, before looking at anything else", async () => {
    expect(
      await app.call("/v1/nope", {
        method: "POST",
        body: "{",
        headers: { "content-type": "application/json" },
      }),
    ).toMatchObject({ status: 404, body: { error: "not_found", docs: expect.stringContaining("/docs") } });
  });
});
