import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

type Body = Record<string, unknown>;

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const clock = manualClock();
let app: TestService;
let organizationId: string;
let key: string;
let campaign: string;

beforeAll(async () => {
  app = await startTestService({ clock });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ organizationId, key } = await app.newOrganization());
  campaign = await newCampaign();
});

const newCampaign = async (status = "draft"): Promise<string> => {
  const path = `/private/v1/organizations/${organizationId}/campaigns`;
  return String((await app.callPrivate(path, { json: { name: "C", status } })).body.id);
};
let number = 2_125_550_200;
const newLead = async (fields: Body = {}): Promise<string> => {
  const { body } = await app.call("/v1/leads", { key, json: { phone_number: String(number++), ...fields } });
  return String(body.id);
};
const attach = (json: Body, to = campaign) =>
  app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns/${to}/leads`, {
    json,
    headers: { "x-outreach-actor": "ada" },
  });
const leadsOf = async (id: string) =>
  ((await app.call<{ data: Body[] }>(`/v1/leads?campaign_id=${id}`, { key })).body.data ?? [])
    .map((lead) => lead.id)
    .sort();
const entries = (id: string) =>
  app.database.query<{ lead_id: string; state: string }>({
    text: "SELECT lead_id, state FROM dial_entries WHERE campaign_id = $1 ORDER BY lead_id",
    values: [id],
  });

describe("attaching leads", () => {
  it("attaches those named, and says how many it will dial", async () => {
    const ids = [await newLead(), await newLead({ status: "contacted" })];
    await newLead();
    const answer = await attach({ lead_ids: ids });
    expect(answer).toMatchObject({ status: 200, body: { attached: 2, to_dial: 1, after: null } });
    expect(await leadsOf(campaign)).toEqual([...ids].sort());
    expect(await entries(campaign)).toEqual([
      { lead_id: ids[0], state: "waiting" },
      { lead_id: ids[1], state: "done" },
    ]);
    expect((await attach({ lead_ids: ids })).body).toMatchObject({ attached: 0, to_dial: 0 });
    const audited = await app.database.query({
      text: "SELECT actor, details FROM audit_log WHERE subject_id = $1 AND action = 'campaign.leads_attached'",
      values: [campaign],
    });
    expect(audited).toEqual([{ actor: "ada", details: { attached: 2 } }]);
  });

  it("attaches none when one is unknown or another organization's", async () => {
    const mine = await newLead();
    const other = await app.newOrganization();
    const { body: theirs } = await app.call("/v1/leads", {
      key: other.key,
      json: { phone_number: "2125550199" },
    });
    for (const foreign of [UNKNOWN, theirs.id]) {
      expect(await attach({ lead_ids: [mine, foreign] })).toMatchObject({
        status: 404,
        body: { error: "lead_not_found" },
      });
    }
    expect(await leadsOf(campaign)).toEqual([]);
  });

  it("attaches what a filter finds, of other campaigns too", async () => {
    const elsewhere = await newCampaign();
    const plain = await newLead();
    const pending = await newLead({ status: "pending" });
    const consented = await newLead({ consented_at: "2026-01-01T00:00:00Z" });
    const moved = await newLead({ campaign_id: elsewhere });
    const cases: [Body, string[]][] = [
      [{ status: "pending" }, [pending]],
      [{ consented: true }, [consented]],
      [{ campaign_id: elsewhere }, [moved]],
      [{ source_tag: `api:campaign:${elsewhere}` }, [moved]],
      [{ campaign_id: null, status: "new" }, [plain, consented]],
      [{}, [plain, pending, consented, moved]],
    ];
    for (const [filter, found] of cases) {
      await app.database.query({
        text: `UPDATE leads SET campaign_id = CASE WHEN id = $2 THEN $3::uuid END WHERE organization_id = $1`,
        values: [organizationId, moved, elsewhere],
      });
      expect((await attach({ filter })).body).toMatchObject({ attached: found.length, after: null });
      expect(await leadsOf(campaign)).toEqual([...found].sort());
    }
    expect(await entries(elsewhere)).toEqual([{ lead_id: moved, state: "left" }]);
  });

  it("goes on where a call ended", async () => {
    await app.database.query({
      text: `
        INSERT INTO leads (organization_id, id, phone_number, status, source_tag, created_at)
        SELECT $1, gen_random_uuid(), '+1212' || (5560000 + n), 'new', 'test', $2 FROM generate_series(1, 10300) AS n`,
      values: [organizationId, new Date(clock.now()).toISOString()],
    });
    const first = await attach({ filter: { status: "new" } });
    expect(first.body).toMatchObject({ attached: 10_000, after: expect.any(String) });
    const second = await attach({ filter: { status: "new" }, after: first.body.after });
    expect(second.body).toEqual({ attached: 300, to_dial: 300, after: null });
    const progress = await app.callPrivate(
      `/private/v1/organizations/${organizationId}/campaigns/${campaign}/progress`,
    );
    expect(progress.body).toMatchObject({ leads: 10_300, waiting: 10_300 });
  });

  it("doesn't deadlock with leads that are told of again meanwhile", async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => String(4_155_550_000 + index));
    for (const phone_number of numbers) await app.call("/v1/leads", { key, json: { phone_number } });
    const other = await newCampaign();
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => attach({ filter: {} }, index % 2 ? campaign : other)),
      ...numbers.map((phone_number) => app.call("/v1/leads", { key, json: { phone_number } })),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it.each(["completed", "cancelled"])("refuses a campaign that is %s", async (status) => {
    const over = await newCampaign(status);
    const refusal = { status: 409, body: { error: "conflict", message: expect.stringContaining(status) } };
    expect(await attach({ lead_ids: [await newLead()] }, over)).toMatchObject(refusal);
    expect(await importCsv("phone_number\n2125550100\n", over)).toMatchObject(refusal);
  });

  it.each([
    [{}, "invalid_request"],
    [{ lead_ids: [UNKNOWN], filter: {} }, "invalid_request"],
    [{ lead_ids: [UNKNOWN], after: UNKNOWN }, "invalid_request"],
    [{ lead_ids: [] }, "invalid_request"],
    [{ lead_ids: ["x"] }, "invalid_request"],
    [{ filter: { city: "Rome" } }, "unknown_field:city"],
    [{ filter: { consented: false } }, "invalid_request"],
    [{ ids: [] }, "unknown_field:ids"],
  ])("refuses %j", async (json, error) => {
    expect(await attach(json)).toMatchObject({ status: 400, body: { error } });
  });

  it("finds no campaign that isn't there", async () => {
    expect(await attach({ filter: {} }, UNKNOWN)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });
});

const importCsv = (csv: string, to = campaign, mapping?: Body) =>
  app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns/${to}/leads/import`, {
    json: { csv, ...(mapping ? { mapping } : {}) },
  });

describe("importing leads into a campaign", () => {
  it("makes them, and moves those that are known", async () => {
    await newLead({ phone_number: "2125550100" });
    const csv = "Phone,Name\n2125550100,Ada\n2125550101,Grace\nnone,Alan\n";
    const answer = await importCsv(csv, campaign, { phone_number: "Phone", first_name: "Name" });
    expect(answer).toMatchObject({ status: 202, body: { total: 3, inserted: 1, updated: 1, failed: 1 } });
    expect(await leadsOf(campaign)).toHaveLength(2);
  });
  it("refuses a text that is no CSV", async () => {
    expect(await importCsv("")).toMatchObject({ status: 400, body: { error: "csv_required" } });
    expect(await importCsv("name\nAda\n", UNKNOWN)).toMatchObject({ status: 404 });
  });
});
