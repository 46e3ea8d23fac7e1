import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

interface Row {
  row_number: number;
  code: string;
  column: string | null;
  raw_row: string;
}

describe("POST /leads/bulk", () => {
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

  const send = (json: unknown) => app.call("/v1/leads/bulk", { key, json });
  const job = async (id: unknown, query = "") =>
    (
      await app.callPrivate<{ errors: Row[]; warnings: Row[]; state: string }>(
        `/private/v1/organizations/${organizationId}/imports/${id}${query}`,
      )
    ).body;
  const leads = async () =>
    (
      await app.database.query<Record<string, unknown> & { id: string; phone_number: string }>({
        text: "SELECT * FROM leads WHERE organization_id = $1 ORDER BY id",
        values: [organizationId],
      })
    ).map(({ organization_id: _, ...lead }) => lead);
  const lead = async () => (await leads())[0];
  const events = () =>
    app.database.query<{ type: string; data: Record<string, unknown> }>({
      text: "SELECT type, data FROM events WHERE organization_id = $1 ORDER BY id",
      values: [organizationId],
    });
  const newCampaign = async (id = organizationId) =>
    String(
      (await app.callPrivate(`/private/v1/organizations/${id}/campaigns`, { json: { name: "C" } })).body.id,
    );

  it("inserts with every column, the defaults, and its own tag", async () => {
    const csv = [
      "first_name,last_name,phone_number,email_address,status,credit_score,annual_income,consent_source,consented_at",
      'Ada,"Love, ""A""",(415) 555-0100, Ada@Example.COM ,hot,700,75000.5,form,01/31/2026',
      ",,4155550101,,,,,,",
    ].join("\r\n");
    const { status, body } = await send({ csv });
    expect(status).toBe(202);
    expect(body).toEqual({
      job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      total: 2,
      inserted: 2,
      updated: 0,
      skipped: 0,
      failed: 0,
    });
    const common = { campaign_id: null, notes: null, source_tag: `csv:${body.job_id}`, version: 1 };
    expect(await leads()).toMatchObject([
      {
        ...common,
        phone_number: "+14155550100",
        first_name: "Ada",
        last_name: 'Love, "A"',
        email_address: "ada@example.com",
        status: "hot",
        credit_score: 700,
        annual_income: 75000.5,
        consent_source: "form",
        consented_at: "2026-01-31T00:00:00.000Z",
      },
      {
        ...common,
        phone_number: "+14155550101",
        first_name: null,
        last_name: null,
        email_address: null,
        status: "new",
        credit_score: null,
        annual_income: null,
        consent_source: "csv_import",
        consented_at: null,
      },
    ]);
    const data = (lead_id: string) => ({ lead_id, source: "csv_import", job_id: body.job_id });
    expect(await events()).toEqual(
      (await leads()).map(({ id }) => ({ type: "lead.created", data: data(id) })),
    );
  });

  it("overwrites with what stands in cells only: never status, consent or tag by what doesn't", async () => {
    const campaign_id = await newCampaign();
    const { body: before } = await app.call("/v1/leads", {
      key,
      json: {
        phone_number: "4155550100",
        first_name: "Ada",
        last_name: "L",
        email_address: "a@example.com",
        status: "contacted",
        campaign_id,
        consent_source: "form",
        consented_at: "2026-01-01",
        credit_score: 700,
        annual_income: 1,
        notes: "n",
      },
    });
    const header =
      "phone_number,first_name,last_name,email_address,status,credit_score,annual_income,consent_source,consented_at";
    const empty = await send({ csv: `${header}\n4155550100,,,,,,,,\n` });
    expect(empty.body).toMatchObject({ total: 1, inserted: 0, updated: 1, failed: 0 });
    const read = async () => (await app.call(`/v1/leads/${before.id}`, { key })).body;
    expect({ ...(await read()), updated_at: 0 }).toEqual({ ...before, updated_at: 0 });
    await send({ csv: `${header}\n4155550100,Bob,M,b@example.com,done,701,2,web,2026-02-02\n` });
    expect(await read()).toMatchObject({
      first_name: "Bob",
      last_name: "M",
      email_address: "b@example.com",
      status: "done",
      credit_score: 701,
      annual_income: 2,
      consent_source: "web",
      consented_at: "2026-02-02T00:00:00.000Z",
      campaign_id,
      notes: "n",
      source_tag: `api:campaign:${campaign_id}`,
      created_at: before.created_at,
    });
  });

  it("puts every lead into the request's campaign, inserted or matched", async () => {
    const [first, second] = [await newCampaign(), await newCampaign()];
    await app.call("/v1/leads", { key, json: { phone_number: "4155550100", campaign_id: first } });
    const { body } = await send({ csv: "phone_number\n4155550100\n4155550101\n", campaign_id: second });
    expect(body).toMatchObject({ inserted: 1, updated: 1 });
    expect((await leads()).map((row) => row.campaign_id)).toEqual([second, second]);
    expect((await leads())[1]!.source_tag).toBe(`csv:${body.job_id}`);
    expect(await job(body.job_id)).toMatchObject({ campaign_id: second });
  });

  it("lets a number's first row insert and later ones update, one event each, in file order", async () => {
    const csv =
      "phone_number,first_name,status\n4155550100,A,\n4155550101,X,\n+1 415 555 0100,B,hot\n4155550100,,\n4155550101,,y\n";
    const { body } = await send({ csv });
    expect(body).toMatchObject({ total: 5, inserted: 2, updated: 3, failed: 0 });
    const [a, x] = await leads();
    expect(a).toMatchObject({ phone_number: "+14155550100", first_name: "B", status: "hot", version: 3 });
    expect(x).toMatchObject({ phone_number: "+14155550101", first_name: "X", status: "y", version: 2 });
    expect((await events()).map(({ type, data }) => [type, data.lead_id])).toEqual([
      ["lead.created", a!.id],
      ["lead.created", x!.id],
      ["lead.updated", a!.id],
      ["lead.updated", a!.id],
      ["lead.updated", x!.id],
    ]);
  });

  it("keeps the order of the file over batches: ids, list and events", async () => {
    const numbers = Array.from({ length: 2500 }, (_, index) => `+1415${5_550_000 + ((index * 7919) % 2500)}`);
    const { body } = await send({ csv: `phone_number\n${numbers.join("\n")}\n` });
    expect(body).toMatchObject({ total: 2500, inserted: 2500 });
    const stored = await leads();
    expect(stored.map((row) => row.phone_number)).toEqual(numbers);
    expect((await events()).map(({ data }) => data.lead_id)).toEqual(stored.map(({ id }) => id));
    const list = await app.call<{ data: { phone_number: string }[] }>("/v1/leads?limit=2", { key });
    expect(list.body.data.map((row) => row.phone_number)).toEqual(numbers.slice(-2).reverse());
  });

  it.each([
    ["a byte-order mark", "\ufeffphone_number,first_name\n4155550100,Ada\n"],
    ["semicolons", "phone_number;first_name\n4155550100;Ada\n"],
    ["tabs", "phone_number\tfirst_name\n4155550100\tAda\n"],
    ["CR line ends and blank rows", "\r\rphone_number,first_name\r\r , \r4155550100,Ada\r"],
    ["names in any case with spaces", " Phone_Number , FIRST_NAME\n4155550100,Ada"],
    ["a long row", "phone_number,first_name\n4155550100,Ada,more,and more\n"],
    ["a short row", "first_name,phone_number,last_name\nAda,4155550100\n"],
    ["a quote inside a cell", 'phone_number,last_name,first_name\n4155550100,"O""B\r\nrien",Ada\n'],
    ["unknown columns", "id,phone_number,mobile,first_name\n1,4155550100,999,Ada\n"],
  ])("reads %s", async (_name, csv) => {
    expect((await send({ csv })).body).toMatchObject({ total: 1, inserted: 1, failed: 0 });
    expect(await lead()).toMatchObject({ phone_number: "+14155550100", first_name: "Ada" });
  });

  it("maps headers, and applies no alias of its own", async () => {
    const csv = "Mobile,Vorname,first_name\n4155550100,Ada,not this\n";
    expect((await send({ csv })).body).toMatchObject({ total: 1, inserted: 0, failed: 1 });
    const { body } = await send({ csv, mapping: { phone_number: "Mobile", first_name: " Vorname " } });
    expect(body).toMatchObject({ inserted: 1 });
    expect(await lead()).toMatchObject({ first_name: "Ada" });
    const inspected = await app.call("/v1/leads/inspect-csv", { key, json: { csv } });
    const again = await send({ csv, mapping: inspected.body.suggested_mapping });
    expect(again.body).toMatchObject({ updated: 1, failed: 0 });
  });

  it("fails every row when there is no phone column, and each row whose phone is bad", async () => {
    const missing = await send({ csv: "name\nAda\nBob\n" });
    expect(missing).toMatchObject({ status: 202, body: { total: 2, inserted: 0, updated: 0, failed: 2 } });
    expect((await job(missing.body.job_id)).errors).toEqual([
      { row_number: 1, code: "missing_required:phone_number", column: "phone_number", raw_row: "Ada" },
      { row_number: 2, code: "missing_required:phone_number", column: "phone_number", raw_row: "Bob" },
    ]);
    const unmapped = await send({ csv: "phone_number\n4155550100\n", mapping: { phone_number: "cell" } });
    expect(unmapped.body).toMatchObject({ total: 1, failed: 1 });
    const bad = await send({ csv: 'phone_number,first_name\n,Ada\n4155550100,B\n"12, x",C\n' });
    expect(bad.body).toMatchObject({ total: 3, inserted: 1, failed: 2 });
    expect((await job(bad.body.job_id)).errors).toEqual([
      { row_number: 1, code: "invalid_or_missing_phone", column: "phone_number", raw_row: ",Ada" },
      { row_number: 3, code: "invalid_or_missing_phone", column: "phone_number", raw_row: '"12, x",C' },
    ]);
    expect(await events()).toHaveLength(1);
  });

  it("leaves broken optional values out, takes the row, and keeps a warning for each", async () => {
    const row = `4155550100,${"x".repeat(121)},nope,299,0,31/31/2026`;
    const csv = `phone_number,first_name,email_address,credit_score,annual_income,consented_at\n${row}\n`;
    const { body } = await send({ csv });
    expect(body).toMatchObject({ total: 1, inserted: 1, failed: 0 });
    expect(await lead()).toMatchObject({ first_name: null, email_address: null, credit_score: null });
    const columns = ["first_name", "email_address", "credit_score", "annual_income", "consented_at"];
    const { warnings, errors, ...stored } = await job(body.job_id);
    expect(errors).toEqual([]);
    expect(warnings).toEqual(
      columns.map((column) => ({ row_number: 1, code: `invalid_value:${column}`, column, raw_row: row })),
    );
    expect(stored).toMatchObject({
      id: body.job_id,
      state: "finished",
      total: 1,
      inserted: 1,
      failed: 0,
      warning_count: 5,
    });
  });

  it("keeps the rows' errors for the private API to page through", async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => `${index}`);
    const { body } = await send({ csv: `phone_number\n${rows.join("\n")}\n` });
    expect(body).toMatchObject({ total: 1500, failed: 1500 });
    const first = await job(body.job_id);
    expect(first).toMatchObject({ limit: 1000, offset: 0 });
    expect(first.errors).toHaveLength(1000);
    const second = await job(body.job_id, "?limit=5000&offset=1000");
    expect(second.errors.map(({ row_number }) => row_number)).toEqual(
      Array.from({ length: 500 }, (_, index) => 1001 + index),
    );
    const list = await app.callPrivate<{ data: unknown[] }>(
      `/private/v1/organizations/${organizationId}/imports?limit=1`,
    );
    expect(list.body).toMatchObject({ limit: 1, offset: 0, data: [{ id: body.job_id, failed: 1500 }] });
    const other = await app.newOrganization();
    for (const [path, error] of [
      [`/organizations/${other.organizationId}/imports/${body.job_id}`, "not_found"],
      [`/organizations/${body.job_id}/imports`, "organization_not_found"],
      [`/organizations/${body.job_id}/imports/${body.job_id}`, "organization_not_found"],
    ]) {
      expect(await app.callPrivate(`/private/v1${path}`)).toMatchObject({ status: 404, body: { error } });
    }
  });

  const ROW = "phone_number\n4155550100\n";
  it.each([
    [undefined, 400, "invalid_json"],
    [[], 400, "invalid_request"],
    [{}, 400, "csv_required"],
    [{ csv: null }, 400, "csv_required"],
    [{ csv: 5 }, 400, "csv_required"],
    [{ csv: "" }, 400, "csv_required"],
    [{ csv: " \n\n" }, 400, "invalid_csv"],
    [{ csv: 'phone_number\n4155550100\n"4155550101\n' }, 400, "invalid_csv"],
    [{ csv: "phone_number,PHONE_NUMBER\n4155550100,1\n" }, 400, "invalid_csv"],
    [{ csv: "phone_number\n4155550100\u0000\n" }, 400, "invalid_request"],
    [{ csv: ROW, mapping: null }, 400, "invalid_request"],
    [{ csv: ROW, mapping: [] }, 400, "invalid_request"],
    [{ csv: ROW, mapping: "phone_number" }, 400, "invalid_request"],
    [{ csv: ROW, mapping: { phone: "phone_number" } }, 400, "invalid_request"],
    [{ csv: ROW, mapping: { phone_number: 5 } }, 400, "invalid_request"],
    [{ csv: ROW, campaign_id: "nope" }, 400, "invalid_request"],
    [{ csv: ROW, campaign_id: "01a1fd44-cf0f-7231-957a-f48cd5a78f9b" }, 404, "campaign_not_found"],
    [{ csv: ROW, organization_id: "x" }, 400, "unknown_field:organization_id"],
    [{ csv: 5, job_id: "x" }, 400, "unknown_field:job_id"],
  ])("refuses %j with %i %s and writes nothing", async (json, status, error) => {
    const answer =
      json === undefined ? await app.call("/v1/leads/bulk", { key, method: "POST" }) : await send(json);
    expect(answer).toMatchObject({ status, body: { error } });
    expect(await leads()).toEqual([]);
    const list = await app.callPrivate(`/private/v1/organizations/${organizationId}/imports`);
    expect(list.body.data).toEqual([]);
  });

  it("refuses a campaign of another organization", async () => {
    const other = await app.newOrganization();
    const campaign_id = await newCampaign(other.organizationId);
    expect(await send({ csv: ROW, campaign_id })).toMatchObject({
      status: 404,
      body: { error: "campaign_not_found" },
    });
  });

  it("takes 5,000,000 bytes and not one more, counted in UTF-8; inspection likewise", async () => {
    const start = "phone_number,x\n4155550100,";
    const full = start + "a".repeat(5_000_000 - start.length);
    const wide = `${start}é${"é".repeat(2_500_000)}`;
    for (const path of ["/v1/leads/bulk", "/v1/leads/inspect-csv"]) {
      const post = (csv: string) => app.call(path, { key, json: { csv } });
      expect((await post(full)).status).toBeLessThan(300);
      for (const csv of [`${full}a`, wide, "a".repeat(12 * 1024 * 1024)]) {
        expect(await post(csv)).toMatchObject({ status: 413, body: { error: "payload_too_large" } });
      }
    }
    expect(await leads()).toHaveLength(1);
  });

  it("needs leads:write, and an active organization", async () => {
    const reader = await app.newOrganization({ scopes: ["leads:read"] });
    for (const path of ["/v1/leads/bulk", "/v1/leads/inspect-csv"]) {
      expect(await app.call(path, { key: reader.key, json: { csv: ROW } })).toMatchObject({
        status: 403,
        body: { error: "insufficient_scope", required: "leads:write" },
      });
    }
    await app.callPrivate(`/private/v1/organizations/${organizationId}`, {
      method: "PATCH",
      json: { status: "suspended" },
    });
    expect(await send({ csv: ROW })).toMatchObject({
      status: 403,
      body: { error: "organization_not_active" },
    });
    expect((await app.call("/v1/leads.csv", { key })).status).toBe(200);
  });
});
