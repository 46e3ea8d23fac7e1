import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DialingHarness, startDialingHarness } from "../../testing/dialing-harness.ts";

let dialing: DialingHarness;
beforeAll(async () => {
  dialing = await startDialingHarness();
});
afterAll(() => dialing.close());

/** Looks until it is so: the dialer works by itself, and looks when the clock moves. */
async function until<T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (performance.now() > deadline) throw new Error(`It isn't so: ${JSON.stringify(found)}`);
    dialing.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const callTo = (number: string) =>
  until(
    () => dialing.plane.calls.findLast(({ dial }) => dial?.to === number),
    (call) => call !== undefined,
  ).then((call) => call!);

describe("a campaign", () => {
  it("dials a lead, and ends it with the call", async () => {
    const campaign = await dialing.newCampaign();
    const id = await campaign.addLead("+12125550100");
    const call = await callTo("+12125550100");
    expect(await campaign.entry(id)).toMatchObject({ state: "dialing" });
    await call.answer();
    await call.ports.classified("human");
    dialing.clock.advance(30_000);
    await call.end();
    expect(await campaign.entry(id)).toMatchObject({ state: "done", attempts: 1, lead_status: "completed" });
    expect(await campaign.lead(id)).toMatchObject({ status: "completed" });
    const [attempt] = await campaign.attempts();
    expect(attempt).toMatchObject({
      id: call.callId,
      state: "settled",
      outcome: "completed",
      answered_by: "human",
      abandoned: false,
      cost_tokens: 45,
    });
    const record = await dialing.app.call(`/v1/calls/${call.callId}`, { key: campaign.key });
    expect(record.body).toMatchObject({ campaign_id: campaign.campaignId, lead_id: id, origin: "campaign" });
    const [verdict] = await campaign.verdicts();
    expect(verdict).toMatchObject({
      id: attempt!.verdict_id,
      allowed: true,
      reason: null,
      call_id: call.callId,
    });
    await until(campaign.campaign, ({ status }) => status === "completed");
  });
});
