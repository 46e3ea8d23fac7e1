import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import { claimLeads } from "./claim-leads.ts";

/** On a Tuesday: 13:00 in New York, 10:00 in Los Angeles, 7:00 in Honolulu. */
let dialing: DialingHarness;
beforeAll(async () => {
  // Nobody dials by itself: the tests do.
  dialing = await startDialingHarness({ dials: false });
});
afterAll(() => dialing.close());

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(dialing.clock.now() + hours * HOUR).toISOString();
const preview = async (campaign: TestCampaign) => {
  const { status, body } = await dialing.app.callPrivate(
    `${campaign.path}/campaigns/${campaign.campaignId}/preview`,
  );
  expect(status).toBe(200);
  return body as { leads: number; dialable_now: number; by_reason: unknown[]; waiting_until: unknown[] };
};
const verdicts = async (campaign: TestCampaign, query = "") =>
  (
    await dialing.app.callPrivate<{ data: Record<string, unknown>[] }>(
      `${campaign.path}/campaigns/${campaign.campaignId}/verdicts${query}`,
    )
  ).body.data;
const claimAll = async ({ organizationId, campaignId }: TestCampaign) => {
  const input = { organizationId, campaignId, workerId: "0190f0f0-0000-7000-8000-000000000001" };
  while ((await claimLeads(dialing.claims, input)).looked > 0);
};
const call = (campaign: TestCampaign, to_number: string) =>
  dialing.app.call("/v1/calls", {
    key: campaign.key,
    json: { medium: "phone", to_number, system_prompt: "Be kind." },
  });
const setEntry = (leadId: string, changes: string) =>
  dialing.app.database.query({
    text: `UPDATE dial_entries SET ${changes} WHERE lead_id = $1`,
    values: [leadId],
  });

/** Leaves a lead as the dialer does that is done with it. */
async function dialed(leadId: string, status: string, attempts: number) {
  await dialing.app.database.query({
    text: "UPDATE leads SET status = $2 WHERE id = $1",
    values: [leadId, status],
  });
  await setEntry(leadId, `state = 'done', attempts = ${attempts}, lead_status = '${status}'`);
}

/** One of everything that a lead can be, and what the preview has to say of them. */
async function everyKind(campaign: TestCampaign) {
  await campaign.addLead("+12125551001");
  await campaign.addLead("+13105551002", { status: "pending" });
  await campaign.addLead("+18085551003");
  await campaign.addLead("+18085551004");
  await campaign.addLead("+18005551005");
  await campaign.addLead("+12125551006", { status: "do_not_call" });
  await campaign.addLead("+12125551007", { status: "contacted" });
  await dialing.app.callPrivate(`${campaign.path}/dnc`, { json: { phone_number: "+12125551008" } });
  await campaign.addLead("+12125551008");
  for (let nth = 0; nth < 3; nth++) {
    await call(campaign, "+12125551009");
    await dialing.plane.last().end({ status: "busy", outcome: "busy" });
  }
  await campaign.addLead("+12125551009");
  await call(campaign, "+12125551010");
  await campaign.addLead("+12125551010");
  const retried = await campaign.addLead("+12125551011");
  await setEntry(retried, `due = 'retry', attempts = 1, next_at = '${inHours(2)}'`);
  await dialed(await campaign.addLead("+12125551012"), "busy", 4);
  await dialed(await campaign.addLead("+12125551013"), "completed", 4);
  await dialed(await campaign.addLead("+12125551014"), "failed", 2);
}

const EVERY_KIND = {
  leads: 14,
  dialable_now: 2,
  waiting: 5,
  blocked: 4,
  done: 3,
  by_reason: [
    { reason: "outside_window", count: 2 },
    ...["attempts_exhausted", "dnc", "frequency_cap", "number_in_flight", "opted_out", "retry_not_due"].map(
      (reason) => ({ reason, count: 1 }),
    ),
    { reason: "timezone_unknown", count: 1 },
  ],
};

describe("a preview", () => {
  it("says of every lead what the dialer then does, and changes nothing", async () => {
    const campaign = await dialing.newCampaign({ concurrency: 100, fields: { status: "draft" } });
    await everyKind(campaign);
    const before = await preview(campaign);
    expect(before).toMatchObject({
      ...EVERY_KIND,
      waiting_until: [
        { until: inHours(0.25), count: 1 },
        { until: inHours(1), count: 2 },
        { until: inHours(2), count: 1 },
        { until: inHours(24), count: 1 },
      ],
    });
    expect(await campaign.verdicts()).toEqual([]);
    expect(await preview(campaign)).toEqual(before);

    await campaign.steer("launch");
    expect(await preview(campaign)).toEqual(before);
    await claimAll(campaign);
    const states = await dialing.app.database.query<{ state: string; reason: string | null; count: number }>({
      text: `SELECT state, verdict_reason AS reason, count(*)::int AS count FROM dial_entries
             WHERE campaign_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
      values: [campaign.campaignId],
    });
    expect(states).toEqual([
      { state: "blocked", reason: "dnc", count: 1 },
      { state: "blocked", reason: "opted_out", count: 1 },
      { state: "blocked", reason: "timezone_unknown", count: 1 },
      { state: "dialing", reason: null, count: 2 },
      // By their status, or their budget: nobody asks about them any more.
      { state: "done", reason: null, count: 4 },
      { state: "waiting", reason: "frequency_cap", count: 1 },
      { state: "waiting", reason: "number_in_flight", count: 1 },
      { state: "waiting", reason: "outside_window", count: 2 },
      // Not looked at before it is due.
      { state: "waiting", reason: null, count: 1 },
    ]);
    expect(await preview(campaign)).toMatchObject({ dialable_now: 0, waiting: 7, blocked: 4, done: 3 });
  });

  it("goes by the campaign's own hours, days and consent", async () => {
    const campaign = await dialing.newCampaign({
      fields: { status: "draft", window: "14:00-20:00", days: ["tue"], require_consent: true },
    });
    await campaign.addLead("+12125551001", { consented_at: "2026-01-01" });
    await campaign.addLead("+12125551002");
    expect(await preview(campaign)).toMatchObject({
      dialable_now: 0,
      waiting: 1,
      blocked: 1,
      by_reason: [
        { reason: "no_consent", count: 1 },
        { reason: "outside_window", count: 1 },
      ],
      waiting_until: [{ until: inHours(1), count: 1 }],
    });
  });

  it("tells what is in the way of all of them", async () => {
    const poor = await dialing.newCampaign({ tokens: 0, fields: { status: "draft" } });
    await poor.addLead("+12125551001");
    expect(await preview(poor)).toMatchObject({
      blocked: 1,
      by_reason: [{ reason: "insufficient_balance", count: 1 }],
    });
    await dialing.app.callPrivate(poor.path, { method: "PATCH", json: { voice_enabled: false } });
    expect(await preview(poor)).toMatchObject({ by_reason: [{ reason: "voice_suspended", count: 1 }] });
  });

  it("counts leads that have left for another campaign there alone", async () => {
    const campaign = await dialing.newCampaign({ fields: { status: "draft" } });
    expect(await preview(campaign)).toMatchObject({ leads: 0, by_reason: [], waiting_until: [] });
    const id = await campaign.addLead("+12125551001");
    expect(await preview(campaign)).toMatchObject({ leads: 1 });
    await dialing.app.call(`/v1/leads/${id}`, {
      method: "PATCH",
      key: campaign.key,
      json: { campaign_id: null },
    });
    expect(await preview(campaign)).toMatchObject({ leads: 0 });
  });

  it("counts every lead once, whatever their number", async () => {
    const campaign = await dialing.newCampaign({ fields: { status: "draft" } });
    await dialing.app.database.query({
      text: `
        INSERT INTO leads (organization_id, id, phone_number, status, campaign_id, source_tag, created_at)
        SELECT $1, gen_random_uuid(), '+1212' || (5560000 + n), 'new', $2, 'test', $3 FROM generate_series(1, 3500) AS n`,
      values: [campaign.organizationId, campaign.campaignId, inHours(0)],
    });
    expect(await preview(campaign)).toMatchObject({ leads: 3_500, dialable_now: 3_500 });
  });

  it("finds no campaign that isn't there", async () => {
    const campaign = await dialing.newCampaign();
    const other = await dialing.newCampaign();
    for (const verb of ["preview", "verdicts", "progress"]) {
      const answer = await dialing.app.callPrivate(`${campaign.path}/campaigns/${other.campaignId}/${verb}`);
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });
});

describe("the verdicts of a campaign", () => {
  it("are listed newest first, by page and by lead, and stand with the call", async () => {
    const campaign = await dialing.newCampaign();
    const refused = await campaign.addLead("+18085551003");
    await claimAll(campaign);
    dialing.clock.advance(1_000);
    const called = await campaign.addLead("+12125551001");
    await claimAll(campaign);
    const all = await verdicts(campaign);
    const [attempt] = await campaign.attempts();
    expect(all).toEqual([
      {
        id: attempt!.verdict_id,
        campaign_id: campaign.campaignId,
        lead_id: called,
        call_id: attempt!.id,
        allowed: true,
        reason: null,
        rule_id: "us-hours",
        rule_version: 1,
        citation: expect.any(String),
        zones: [{ timezone: "America/New_York", local_time: "2026-06-09T13:00:01" }],
        states: ["NY"],
        decided_at: inHours(0),
        next_allowed_at: null,
      },
      {
        id: expect.any(String),
        campaign_id: campaign.campaignId,
        lead_id: refused,
        call_id: null,
        allowed: false,
        reason: "outside_window",
        rule_id: "us-hours",
        rule_version: 1,
        citation: expect.any(String),
        zones: [{ timezone: "Pacific/Honolulu", local_time: "2026-06-09T07:00:00" }],
        states: ["HI"],
        decided_at: expect.any(String),
        next_allowed_at: "2026-06-09T18:00:00.000Z",
      },
    ]);
    expect(await verdicts(campaign, `?lead_id=${refused}`)).toEqual([all[1]]);
    expect(await verdicts(campaign, "?limit=1&offset=1")).toEqual([all[1]]);
    const foreign = await dialing.newCampaign();
    const theirs = await foreign.addLead("+12125551001");
    const path = `${campaign.path}/campaigns/${campaign.campaignId}/verdicts?lead_id=${theirs}`;
    expect(await dialing.app.callPrivate(path)).toMatchObject({
      status: 404,
      body: { error: "lead_not_found" },
    });
  });
});
