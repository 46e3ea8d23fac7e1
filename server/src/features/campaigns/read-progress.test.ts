import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import type { FakeCall } from "../../testing/fake-voice-plane.ts";

let dialing: DialingHarness;
beforeAll(async () => {
  dialing = await startDialingHarness();
});
afterAll(() => dialing.close());

type Progress = Record<string, unknown>;

const progressOf = async (campaign: TestCampaign): Promise<Progress> => {
  const path = `${campaign.path}/campaigns/${campaign.campaignId}/progress`;
  const { status, body } = await dialing.app.callPrivate(path);
  expect(status).toBe(200);
  return body;
};

/** Looks until it is so: the dialer works by itself, as the clock moves. */
async function until<T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (performance.now() > deadline) throw new Error(`It isn't so: ${JSON.stringify(found)}`);
    dialing.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const callTo = async (number: string): Promise<FakeCall> =>
  (await until(
    () => dialing.plane.calls.find(({ dial }) => dial?.to === number),
    (found) => found !== undefined,
  ))!;

describe("a campaign's progress", () => {
  it("counts leads, attempts, answers and money", async () => {
    const campaign = await dialing.newCampaign({ fields: { status: "draft" } });
    expect(await progressOf(campaign)).toMatchObject({
      ...{ campaign_id: campaign.campaignId, status: "draft", launched_at: null, halted_because: null },
      ...{ leads: 0, attempts: 0, live_now: 0, answer_rate: null, abandonment_rate_30_days: null },
      ...{ cost_tokens: 0, outcomes: [], hours: [], next_due_at: null },
    });
    const numbers = ["+12125552001", "+12125552002", "+12125552003", "+12125552004"] as const;
    for (const number of numbers) await campaign.addLead(number);
    await campaign.addLead("+18005552005");
    await campaign.steer("launch");
    const [person, machine, busy, talking] = [
      await callTo(numbers[0]),
      await callTo(numbers[1]),
      await callTo(numbers[2]),
      await callTo(numbers[3]),
    ];
    await person.answer();
    await person.ports.classified("human");
    await machine.answer();
    await machine.ports.classified("machine");
    // Less than what takes a call's process for dead.
    dialing.clock.advance(29_000);
    await person.end();
    await machine.end({ status: "voicemail", outcome: "voicemail" });
    await busy.end({ status: "busy", outcome: "busy" });
    await talking.answer();

    const progress = await until(
      () => progressOf(campaign),
      ({ blocked }) => blocked === 1,
    );
    expect(progress).toMatchObject({
      ...{ status: "active", leads: 5, waiting: 2, dialing: 1, blocked: 1, done: 1, left: 0 },
      ...{ attempts: 4, live_now: 1, machines: 1, answer_rate: 0.3333 },
      ...{ abandoned_30_days: 0, abandonment_rate_30_days: 0, cost_tokens: 88, attempts_last_hour: 4 },
      outcomes: [
        { outcome: "busy", count: 1 },
        { outcome: "completed", count: 1 },
        { outcome: "voicemail", count: 1 },
        { outcome: null, count: 1 },
      ],
    });
    // The busy line is the first to be tried again.
    expect(Date.parse(String(progress.next_due_at)) - dialing.clock.now()).toBeLessThanOrEqual(30 * 60_000);
    expect(progress.hours).toMatchObject([{ attempts: 4 }]);

    dialing.clock.advance(60_000);
    await talking.end();
    expect(await progressOf(campaign)).toMatchObject({ answered: 2, answer_rate: 0.5, live_now: 0 });
  });

  it("says why a campaign ran dry, and goes on after a credit", async () => {
    const campaign = await dialing.newCampaign({ tokens: 100 });
    await campaign.addLead("+12125552101");
    await campaign.addLead("+12125552102");
    const first = await callTo("+12125552101");
    await first.answer();
    dialing.clock.advance(29_000);
    await first.end();
    // 56 tokens are left of 100, and a minute costs 90.
    const dry = await until(
      () => progressOf(campaign),
      ({ status }) => status !== "active",
    );
    expect(dry).toMatchObject({ status: "paused", halted_because: expect.stringMatching(/balance/) });
    const record = await dialing.app.call(`/v1/campaigns/${campaign.campaignId}`, { key: campaign.key });
    expect(record.body).toMatchObject({ status: "paused", halted_because: dry.halted_because });
    await dialing.app.callPrivate(`${campaign.path}/wallet/credits`, { json: { tokens: 1_000 } });
    const started = await dialing.app.call(`/v1/campaigns/${campaign.campaignId}/start`, {
      method: "POST",
      key: campaign.key,
    });
    expect(started).toMatchObject({ status: 200, body: { status: "active", changed: true } });
    await callTo("+12125552102");
    expect(await progressOf(campaign)).toMatchObject({ status: "active", halted_because: null, live_now: 1 });
  });

  it("says what is in the way of an active campaign", async () => {
    const campaign = await dialing.newCampaign({ fields: { assigned_ai_agent_id: undefined } });
    await campaign.addLead("+12125552201");
    const halted = await until(
      () => progressOf(campaign),
      ({ halted_because }) => halted_because !== null,
    );
    expect(halted).toMatchObject({ status: "active", halted_because: expect.stringMatching(/agent/) });
  });
});
