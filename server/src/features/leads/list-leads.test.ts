import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

interface ListOfLeads {
  data: { id: string; phone_number: string; created_at: string }[];
  limit: number;
  offset: number;
  error: string;
}

describe("the list of leads", () => {
  const clock = manualClock();
  let app: TestService;
  let key: string;
  let campaignId: string;
  let otherKey: string;
  let otherCampaignId: string;
  const list = (query = "", by = key) => app.call<ListOfLeads>(`/v1/leads${query}`, { key: by });
  const numbers = async (query = "") => (await list(query)).body.data.map((lead) => lead.phone_number);
  const newCampaign = async (organizationId: string) =>
    String(
      (
        await app.callPrivate(`/private/v1/organizations/${organizationId}/campaigns`, {
          json: { name: "C" },
        })
      ).body.id,
    );

  beforeAll(async () => {
    app = await startTestService({ clock });
    const ours = await app.newOrganization();
    const theirs = await app.newOrganization();
    ({ key } = ours);
    otherKey = theirs.key;
    campaignId = await newCampaign(ours.organizationId);
    otherCampaignId = await newCampaign(theirs.organizationId);
    const create = (json: object, by = key) => app.call("/v1/leads", { key: by, json });
    // Three in one millisecond, then one later, then one of another organization.
    await create({ phone_number: "4155550101", status: "contacted" });
    await create({ phone_number: "4155550102", campaign_id: campaignId });
    await create({ phone_number: "4155550103", campaign_id: campaignId, status: "contacted" });
    clock.advance(1);
    await create({ phone_number: "4155550104" });
    await create({ phone_number: "4155550101" }, otherKey);
  });
  afterAll(() => app.close());

  it("has the newest first, ties by id descending, and summaries only", async () => {
    const { body } = await list();
    expect(body).toMatchObject({ limit: 50, offset: 0 });
    expect(body.data.map((lead) => lead.phone_number)).toEqual([
      "+14155550104",
      "+14155550103",
      "+14155550102",
      "+14155550101",
    ]);
    const places = body.data.map((lead) => `${lead.created_at} ${lead.id}`);
    expect(places).toEqual([...places].sort().reverse());
    expect(Object.keys(body.data[0]!)).toEqual([
      "id",
      "first_name",
      "last_name",
      "full_name",
      "phone_number",
      "email_address",
      "status",
      "campaign_id",
      "consent_source",
      "consented_at",
      "created_at",
      "updated_at",
    ]);
    expect(body.data[0]).toMatchObject({ full_name: "Lead 0104" });
  });

  it.each([
    ["", ["04", "03", "02", "01"]],
    ["?status=contacted", ["03", "01"]],
    ["?status=nothing", []],
    ["?phone_number=4155550102", ["02"]],
    ["?phone_number=%2B1%20(415)%20555-0102", ["02"]],
    ["?phone_number=+14155550102", ["02"]],
    ["?phone_number=4155550199", []],
    ["?campaign_id=OURS", ["03", "02"]],
    ["?campaign_id=OURS&status=contacted", ["03"]],
    ["?campaign_id=OURS&status=contacted&phone_number=4155550103", ["03"]],
    ["?limit=2", ["04", "03"]],
    ["?limit=2&offset=2", ["02", "01"]],
    ["?offset=4", []],
    ["?offset=999999999", []],
    ["?unknown=1", ["04", "03", "02", "01"]],
  ])("of %s is %j", async (query, expected) => {
    const found = await numbers(query.replace("OURS", campaignId));
    expect(found).toEqual(expected.map((end) => `+141555501${end}`));
  });

  it("clamps the limit and says so", async () => {
    expect((await list("?limit=200")).body.limit).toBe(200);
    expect((await list("?limit=201")).body.limit).toBe(200);
    expect((await list("?limit=1&offset=3")).body).toMatchObject({ limit: 1, offset: 3 });
  });

  it.each([
    ["limit=0", "invalid_request"],
    ["limit=-1", "invalid_request"],
    ["limit=1.5", "invalid_request"],
    ["limit=ten", "invalid_request"],
    ["limit=", "invalid_request"],
    ["offset=-1", "invalid_request"],
    ["offset=x", "invalid_request"],
    ["campaign_id=nope", "invalid_request"],
    ["phone_number=12", "invalid_phone_number"],
    ["status=a%00b", "invalid_request"],
  ])("refuses %s with %s", async (query, error) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it("says when the campaign isn't the caller's", async () => {
    for (const id of [otherCampaignId, "01a1fd44-cf0f-7231-957a-f48cd5a78f9b"]) {
      const answer = await list(`?campaign_id=${id}`);
      expect(answer).toMatchObject({ status: 404, body: { error: "campaign_not_found" } });
    }
    expect(await list(`?campaign_id=${otherCampaignId}`, otherKey)).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  });
});
