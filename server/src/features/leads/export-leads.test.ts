import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { createLeadExporter } from "./export-leads.ts";

const HEADER =
  "first_name,last_name,phone_number,email_address,status,credit_score,annual_income,consent_source,consented_at,created_at,lead_id";

describe("GET /leads.csv", () => {
  let app: TestService;
  let key: string;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ key, organizationId } = await app.newOrganization());
  });

  const exported = async (query = "") => (await app.call<string>(`/v1/leads.csv${query}`, { key })).body;
  /** Leads that differ in their number, a second apart; `change` is SQL that sees each one's `index`, from 1. */
  const seed = (count: number, change = "consented_at => NULL::timestamptz") =>
    app.database.query({
      text: `WITH made AS (SELECT index, ${change.split("=>")[1]} AS consented_at FROM generate_series(1, $2) AS index)
             INSERT INTO leads (organization_id, id, phone_number, first_name, status, source_tag, consented_at, created_at)
             SELECT $1, gen_random_uuid(), '+1' || (2000000000 + index), 'First, ' || index, 'new', 'csv', consented_at,
                    timestamptz '2026-01-05 00:00:00Z' + index * interval '1 second'
             FROM made`,
      values: [organizationId, count],
    });
  const allIdle = async () => {
    for (const end = performance.now() + 10_000; performance.now() < end; ) {
      const { size, idle, waiting } = app.database.poolUse();
      if (idle === size && waiting === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`connections are still in use: ${JSON.stringify(app.database.poolUse())}`);
  };
  /** The answer's head, with the body waiting to be read. */
  const open = async (): Promise<[ClientRequest, IncomingMessage]> => {
    const headers = { authorization: `Bearer ${key}` };
    const request = get(`${app.publicUrl}/v1/leads.csv`, { headers, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return [request, response];
  };

  it("answers RFC 4180 text, cells as stored, oldest first", async () => {
    const create = (json: object) => app.call("/v1/leads", { key, json });
    const { body: ada } = await create({
      phone_number: "4155550100",
      first_name: 'Ada "A", B',
      last_name: "two\nlines\r\nor three",
      email_address: "ADA@example.com",
      status: "=1+1",
      credit_score: 700,
      annual_income: 75000.5,
      consent_source: "",
      consented_at: "2026-01-05T10:00:00.07+01:00",
    });
    const { body: bob } = await create({ phone_number: "4155550101", annual_income: 1e12, notes: "n" });
    const answer = await app.call<string>("/public/v1/leads.csv", { key });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="leads.csv"');
    expect(answer.body).toBe(
      `${HEADER}\r\n` +
        '"Ada ""A"", B","two\nlines\r\nor three",+14155550100,ada@example.com,=1+1,700,75000.5,"",2026-01-05T09:00:00.070Z,' +
        `${ada.created_at},${ada.id}\r\n` +
        `,,+14155550101,,new,,1000000000000,public_api,,${bob.created_at},${bob.id}\r\n`,
    );
  });

  it("is the header alone when there is no lead", async () => {
    expect(await exported()).toBe(`${HEADER}\r\n`);
  });

  it("takes one campaign's leads, of the caller's", async () => {
    const campaignOf = async (id: string) =>
      (await app.callPrivate(`/private/v1/organizations/${id}/campaigns`, { json: { name: "C" } })).body.id;
    const campaign_id = await campaignOf(organizationId);
    await app.call("/v1/leads", { key, json: { phone_number: "4155550100", campaign_id } });
    await app.call("/v1/leads", { key, json: { phone_number: "4155550101" } });
    const csv = await exported(`?campaign_id=${campaign_id}`);
    expect(csv.split("\r\n")).toHaveLength(3);
    expect(csv).toContain("+14155550100");
    const other = await campaignOf((await app.newOrganization()).organizationId);
    for (const [id, status, error] of [
      [other, 404, "campaign_not_found"],
      ["01a1fd44-cf0f-7231-957a-f48cd5a78f9b", 404, "campaign_not_found"],
      ["nope", 400, "invalid_request"],
      ["' OR true --", 400, "invalid_request"],
    ] as const) {
      const answer = await app.call(`/v1/leads.csv?campaign_id=${encodeURIComponent(String(id))}`, { key });
      expect(answer).toMatchObject({ status, body: { error } });
    }
    const writer = await app.newOrganization({ scopes: ["leads:write"] });
    expect(await app.call("/v1/leads.csv", { key: writer.key })).toMatchObject({
      status: 403,
      body: { required: "leads:read" },
    });
  });

  it("goes on from page to page without a gap or a double, also between equal and finer times", async () => {
    await app.database.query({
      text: `INSERT INTO leads (organization_id, id, phone_number, status, source_tag, created_at)
             SELECT $1, gen_random_uuid(), '+1' || (2000000000 + index), 'new', 'csv',
                    timestamptz '2026-01-05 00:00:00Z' + (index / 5) * interval '1 microsecond'
             FROM generate_series(1, 50) AS index`,
      values: [organizationId],
    });
    const expected = await app.database.query<{ id: string }>({
      text: "SELECT id FROM leads WHERE organization_id = $1 ORDER BY created_at, id",
      values: [organizationId],
    });
    for (const rowsPerPage of [1, 3, 7, 49, 50, 51]) {
      const stream = await createLeadExporter({ database: app.database, rowsPerPage })({ organizationId });
      const rows = (await text(stream)).split("\r\n").slice(1, -1);
      expect(rows.map((row) => row.slice(-36))).toEqual(expected.map(({ id }) => id));
    }
    await allIdle();
  });

  it("exports more than a page over HTTP", async () => {
    await seed(25_000);
    const rows = (await exported()).split("\r\n");
    expect(rows).toHaveLength(25_002);
    expect(rows.slice(1, -1).map((row) => row.slice(0, row.indexOf('",')))).toEqual(
      Array.from({ length: 25_000 }, (_, index) => `"First, ${index + 1}`),
    );
  });

  it("answers 500 when it fails before the first byte", async () => {
    await seed(10, "consented_at => 'infinity'::timestamptz");
    const answer = await app.call("/v1/leads.csv", { key });
    expect(answer).toMatchObject({ status: 500, body: { error: "export_failed" } });
    expect(answer.headers.has("content-disposition")).toBe(false);
    await allIdle();
  });

  it("breaks the transfer off when it fails later: no file that is silently short", async () => {
    await seed(40_000, "consented_at => CASE WHEN index = 35000 THEN 'infinity'::timestamptz END");
    const [, response] = await open();
    expect(response.statusCode).toBe(200);
    await expect(text(response)).rejects.toMatchObject({ code: "ECONNRESET" });
    await allIdle();
  });

  it("holds no connection for a client that reads slowly, nor for one that goes away", async () => {
    await seed(60_000);
    const [slow, waiting] = await open();
    const [gone] = await open();
    gone.destroy();
    await allIdle();
    expect((await text(waiting)).split("\r\n")).toHaveLength(60_002);
    slow.destroy();
    await allIdle();
  });
});
