import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import type { FakeCall } from "../../testing/fake-voice-plane.ts";
import { CarrierRefusal } from "../../voice/carriers/carrier.ts";
import { EngineUnavailable } from "../../voice/engines/engine.ts";
import type { CallEnd } from "../../voice/session/ports.ts";

/** The dialer of a whole service, on a plane where the test is everybody who is called. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let dialing: DialingHarness;
beforeAll(async () => {
  dialing = await startDialingHarness();
});
afterAll(() => dialing.close());

/** Looks until it is so: the dialer works by itself, as the clock moves. */
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

let subscriber = 1_000;
/** A number in New York that no other test calls. */
const newNumber = () => `+1212555${subscriber++}`;
const callsTo = (number: string) => dialing.plane.calls.filter(({ dial }) => dial?.to === number);
const callTo = async (number: string, nth = 1): Promise<FakeCall> => {
  const calls = await until(
    () => callsTo(number),
    (found) => found.length >= nth,
  );
  return calls[nth - 1]!;
};
/** Lets the dialer look a few times, and finds that it does nothing. */
async function rest(ms = 10_000): Promise<void> {
  for (let step = 0; step < 20; step++) {
    dialing.clock.advance(ms / 20);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
/** A person answers, and that is it. */
const hangUp = async (call: FakeCall) => {
  await call.answer();
  await call.end();
};
const minutesUntil = (entry: Record<string, unknown>) =>
  Math.round((Date.parse(String(entry.next_at)) - dialing.clock.now()) / MINUTE);

describe("a campaign", () => {
  it("dials a lead, and is completed with its call", async () => {
    const campaign = await dialing.newCampaign();
    const number = newNumber();
    const id = await campaign.addLead(number);
    const call = await callTo(number);
    expect(await campaign.entry(id)).toMatchObject({ state: "dialing" });
    await call.answer();
    await call.ports.classified("human");
    dialing.clock.advance(30_000);
    await call.end();
    expect(await campaign.entry(id)).toMatchObject({ state: "done", attempts: 1, lead_status: "completed" });
    expect(await campaign.lead(id)).toMatchObject({ status: "completed" });
    const [attempt] = await campaign.attempts();
    expect(attempt).toMatchObject({
      ...{ id: call.callId, number: 1, state: "settled", outcome: "completed" },
      ...{ answered_by: "human", abandoned: false, cost_tokens: 45 },
    });
    const record = await dialing.app.callPrivate(`${campaign.path}/calls/${call.callId}`);
    expect(record.body).toMatchObject({
      ...{ campaign_id: campaign.campaignId, lead_id: id, origin: "campaign" },
    });
    const [verdict] = await campaign.verdicts();
    expect(verdict).toMatchObject({
      ...{ id: attempt!.verdict_id, allowed: true, reason: null, call_id: call.callId, lead_id: id },
      zones: [{ timezone: "America/New_York", local_time: expect.stringMatching(/^2026-06-09T13:0/) }],
      ...{ states: ["NY"], next_allowed_at: null },
    });
    await until(campaign.campaign, ({ status }) => status === "completed");
    const events = await dialing.app.database.query<{ type: string }>({
      text: "SELECT DISTINCT type FROM events WHERE organization_id = $1 ORDER BY 1",
      values: [campaign.organizationId],
    });
    // Neither the call's start nor its end, nor the lead's new status.
    expect(events.map(({ type }) => type)).toEqual(["call.transcript_ready", "lead.created"]);
  });

  const ends: [string, Partial<CallEnd>, "nobody" | "human" | "machine", string, number | null][] = [
    ["busy", { status: "busy", outcome: "busy" }, "nobody", "busy", 30],
    ["nobody there", { status: "no-answer", outcome: "no_answer" }, "nobody", "no_answer", 120],
    ["a machine", { status: "voicemail", outcome: "voicemail" }, "machine", "voicemail", 1_440],
    ["a failing network", { status: "failed", outcome: "failed" }, "nobody", "failed", 5],
    ["no such number", { status: "failed", outcome: "invalid_number" }, "nobody", "failed", null],
    ["a person and a broken line", { status: "failed", outcome: "failed" }, "human", "completed", null],
    ["a hangup by an operator", { status: "canceled", outcome: "canceled" }, "nobody", "canceled", null],
  ];
  it.each(ends)("after %s", async (_, end, who, status, retryMinutes) => {
    const campaign = await dialing.newCampaign();
    const number = newNumber();
    const id = await campaign.addLead(number);
    const call = await callTo(number);
    if (who === "nobody") await call.ring();
    else {
      await call.answer();
      await call.ports.classified(who);
    }
    await call.end(end);
    const entry = await campaign.entry(id);
    expect(await campaign.lead(id)).toMatchObject({ status });
    if (retryMinutes === null) expect(entry).toMatchObject({ state: "done" });
    else {
      expect(entry).toMatchObject({ state: "waiting", due: "retry" });
      expect(minutesUntil(entry)).toBe(retryMinutes);
    }
  });

  it("dials again when a retry is due, never sooner, and within its budget", async () => {
    const campaign = await dialing.newCampaign({ fields: { max_attempts: 2 } });
    const number = newNumber();
    const id = await campaign.addLead(number);
    await (await callTo(number)).end({ status: "busy", outcome: "busy" });
    await rest(29 * MINUTE);
    expect(callsTo(number)).toHaveLength(1);
    dialing.clock.advance(MINUTE);
    const second = await callTo(number, 2);
    await second.end({ status: "busy", outcome: "busy" });
    expect(await campaign.entry(id)).toMatchObject({ state: "done", attempts: 2 });
    expect((await campaign.attempts()).map(({ number: nth }) => nth)).toEqual([1, 2]);
    await until(campaign.campaign, ({ status }) => status === "completed");
  });

  it("calls back when it was asked to, also beyond the budget", async () => {
    const campaign = await dialing.newCampaign({ fields: { max_attempts: 1 } });
    const number = newNumber();
    const id = await campaign.addLead(number);
    const call = await callTo(number);
    await call.answer();
    const at = dialing.clock.now() + 2 * HOUR;
    await dialing.app.database.query({
      text: "UPDATE calls SET callback_at = $2 WHERE id = $1",
      values: [call.callId, new Date(at).toISOString()],
    });
    await call.end();
    expect(await campaign.entry(id)).toMatchObject({ state: "waiting", due: "callback" });
    expect(await campaign.lead(id)).toMatchObject({ status: "contacted" });
    await rest();
    expect(callsTo(number)).toHaveLength(1);
    expect(await campaign.campaign()).toMatchObject({ status: "active" });
    dialing.clock.moveTo(at);
    const second = await callTo(number, 2);
    await second.end({ status: "busy", outcome: "busy" });
    expect(await campaign.entry(id)).toMatchObject({ state: "done", attempts: 2 });
  });

  it("never dials whom the carrier blocks, again whom it can't place, and doesn't count what wasn't dialed", async () => {
    const campaign = await dialing.newCampaign();
    await campaign.keepOpen();
    const dial = async (refusal: Error) => {
      const number = newNumber();
      dialing.plane.refuseNext(refusal);
      const id = await campaign.addLead(number);
      await until(campaign.attempts, (attempts) =>
        attempts.some(({ lead_id, state }) => lead_id === id && (state === "settled" || state === "dropped")),
      );
      return campaign.entry(id);
    };
    expect(await dial(new CarrierRefusal("voice_carrier_blocked", "Blocked.", "blocked"))).toMatchObject({
      state: "done",
      attempts: 1,
      lead_status: "failed",
    });
    expect(await dial(new CarrierRefusal("carrier_dial_failed", "No."))).toMatchObject({
      ...{ state: "waiting", due: "retry", attempts: 1, network_failures: 1 },
    });
    for (const refusal of [
      new CarrierRefusal("concurrency_limit", "All channels are in use."),
      new EngineUnavailable("away"),
    ]) {
      const entry = await dial(refusal);
      expect(entry).toMatchObject({ state: "waiting", due: null, attempts: 0, network_failures: 0 });
    }
    // Nor is it an attempt to the frequency cap: it is dialed as soon as that is possible.
    const calls = await until(
      () =>
        dialing.plane.calls.filter(
          ({ callId, setup }) =>
            dialing.plane.find(callId) && setup.organizationId === campaign.organizationId,
        ),
      (running) => running.length === 2,
    );
    for (const call of calls) await hangUp(call);
  });

  it("leaves a lead to whoever has changed it during the call", async () => {
    const campaign = await dialing.newCampaign();
    await campaign.keepOpen();
    const other = await dialing.app.callPrivate(`${campaign.path}/campaigns`, { json: { name: "Other" } });
    const patches = [
      { json: { status: "customer" }, state: "done", status: "customer" },
      { json: { campaign_id: other.body.id }, state: "left", status: "busy" },
      { json: { campaign_id: null }, state: "left", status: "busy" },
    ];
    for (const { json, state, status } of patches) {
      const number = newNumber();
      const id = await campaign.addLead(number);
      const call = await callTo(number);
      await dialing.app.call(`/v1/leads/${id}`, { key: campaign.key, method: "PATCH", json });
      await call.end({ status: "busy", outcome: "busy" });
      expect(await campaign.entry(id)).toMatchObject({ state });
      expect(await campaign.lead(id)).toMatchObject({ status });
    }
  });

  it("drops what was planned for who opts out", async () => {
    const campaign = await dialing.newCampaign();
    await campaign.keepOpen();
    const number = newNumber();
    const id = await campaign.addLead(number);
    const call = await callTo(number);
    await call.answer();
    await call.ports.classified("human");
    await call.say("user", "Please never call me again.");
    await call.end();
    expect(await campaign.lead(id)).toMatchObject({ status: "do_not_call" });
    expect(await campaign.entry(id)).toMatchObject({ state: "done" });
    // Who opts out elsewhere while a retry is planned.
    const second = newNumber();
    const waiting = await campaign.addLead(second);
    await (await callTo(second)).end({ status: "busy", outcome: "busy" });
    await dialing.app.callPrivate(`${campaign.path}/texts`, {
      json: { from_number: second, to_number: "+14155550199", body: "STOP" },
    });
    expect(await campaign.entry(waiting)).toMatchObject({ state: "blocked", due: null });
    await until(campaign.verdicts, (found) =>
      found.some(({ lead_id, reason }) => lead_id === waiting && reason === "dnc"),
    );
  });

  it("refuses leads that are told not to be called, with a verdict each", async () => {
    const campaign = await dialing.newCampaign();
    await campaign.keepOpen();
    const from = await campaign.addLead(newNumber(), { status: "do_not_call" });
    const later = newNumber();
    const since = await campaign.addLead(later);
    await (await callTo(later)).end({ status: "busy", outcome: "busy" });
    const json = { status: "do_not_call" };
    await dialing.app.call(`/v1/leads/${since}`, { key: campaign.key, method: "PATCH", json });
    for (const id of [from, since]) {
      const refused = (verdicts: Record<string, unknown>[]) =>
        verdicts.filter((verdict) => verdict.lead_id === id && verdict.allowed === false);
      const verdicts = await until(campaign.verdicts, (found) => refused(found).length > 0);
      expect(refused(verdicts)).toMatchObject([
        { reason: "opted_out", call_id: null, next_allowed_at: null, rule_id: expect.any(String) },
      ]);
      expect(await campaign.entry(id)).toMatchObject({ state: "blocked" });
    }
    expect(callsTo(later)).toHaveLength(1);
  });

  it("tells of a refused lead once, and dials it when nothing is in the way any more", async () => {
    const campaign = await dialing.newCampaign();
    const number = newNumber();
    await dialing.app.callPrivate(`${campaign.path}/dnc`, { json: { phone_number: number } });
    const id = await campaign.addLead(number);
    await until(
      () => campaign.entry(id),
      ({ state }) => state === "blocked",
    );
    await rest(3 * HOUR);
    expect(await campaign.verdicts()).toMatchObject([
      { lead_id: id, allowed: false, reason: "dnc", call_id: null, next_allowed_at: null },
    ]);
    // It has dialed nobody: it isn't over.
    expect(await campaign.campaign()).toMatchObject({ status: "active" });
    const path = `${campaign.path}/dnc/${encodeURIComponent(number)}`;
    await dialing.app.callPrivate(path, { method: "DELETE" });
    await hangUp(await callTo(number));
    await until(campaign.campaign, ({ status }) => status === "completed");
  });

  it("waits for the hours of the called party", async () => {
    const campaign = await dialing.newCampaign({ fields: { window: "09:00-09:30" } });
    const number = newNumber();
    const id = await campaign.addLead(number);
    const entry = await until(
      () => campaign.entry(id),
      ({ verdict_reason }) => verdict_reason === "outside_window",
    );
    expect(entry).toMatchObject({ state: "waiting" });
    expect(String(entry.next_at)).toMatch(/T13:00:00.000Z$/);
    await campaign.steer("pause");
  });

  it("counts the calls of a day that the API has made to the number, and waits for the first to be a day old", async () => {
    const campaign = await dialing.newCampaign();
    const number = newNumber();
    const first = dialing.clock.now();
    for (let nth = 1; nth <= 3; nth++) {
      const json = { medium: "phone", to_number: number, system_prompt: "x" };
      const { body } = await dialing.app.call("/v1/calls", { key: campaign.key, json });
      await callsTo(number)
        .find(({ callId }) => callId === body.id)!
        .end({ status: "busy", outcome: "busy" });
      dialing.clock.advance(1_000);
    }
    const id = await campaign.addLead(number);
    const entry = await until(
      () => campaign.entry(id),
      ({ verdict_reason }) => verdict_reason === "frequency_cap",
    );
    expect(entry).toMatchObject({ state: "waiting", attempts: 0 });
    expect(Date.parse(String(entry.next_at)) - first).toBe(24 * HOUR);
    await rest();
    expect(callsTo(number)).toHaveLength(3);
    await campaign.steer("pause");
  });

  it("says why nothing at all is dialed, and begins when that is over", async () => {
    const campaign = await dialing.newCampaign();
    const own = `${campaign.path}/numbers/${encodeURIComponent("+14155550199")}`;
    expect((await dialing.app.callPrivate(own, { method: "DELETE" })).status).toBe(200);
    const number = newNumber();
    const id = await campaign.addLead(number);
    const entry = await until(
      () => campaign.entry(id),
      ({ verdict_reason }) => verdict_reason === "no_caller_id",
    );
    expect(entry).toMatchObject({ state: "waiting", attempts: 0 });
    const halted_because = "The organization has no phone number to call from.";
    expect(await campaign.campaign()).toMatchObject({ status: "active", halted_because });
    await dialing.app.callPrivate(`${campaign.path}/numbers`, { json: { phone_number: "4155550199" } });
    await hangUp(await callTo(number));
    await until(campaign.campaign, ({ status }) => status === "completed");
    expect(await campaign.campaign()).toMatchObject({ halted_because: null });
  });

  it("calls nobody twice, also where a second campaign has taken the lead over", async () => {
    const one = await dialing.newCampaign();
    const number = newNumber();
    const id = await one.addLead(number);
    const call = await callTo(number);
    const agent = (await one.campaign()).assigned_ai_agent_id;
    const other = await dialing.app.callPrivate(`${one.path}/campaigns`, {
      json: { name: "Other", status: "active", assigned_ai_agent_id: agent },
    });
    await dialing.app.call(`/v1/leads/${id}`, {
      ...{ key: one.key, method: "PATCH", json: { campaign_id: other.body.id } },
    });
    const [verdict] = await until(
      () =>
        dialing.app.database.query<{ reason: string }>({
          text: "SELECT reason FROM dial_verdicts WHERE campaign_id = $1",
          values: [other.body.id],
        }),
      (found) => found.length > 0,
    );
    expect(verdict!.reason).toBe("number_in_flight");
    await call.end({ status: "busy", outcome: "busy" });
    // The new campaign has a budget and no retry of its own: the lead has the status of the last attempt.
    expect(await one.entry(id)).toMatchObject({ state: "left" });
    expect(callsTo(number)).toHaveLength(1);
  });
});

describe("how many are called at once", () => {
  const fill = async (campaign: TestCampaign, count: number) => {
    const numbers = Array.from({ length: count }, newNumber);
    for (const number of numbers) await campaign.addLead(number);
    return () => numbers.flatMap(callsTo).filter(({ callId }) => dialing.plane.find(callId));
  };

  it("is what the campaign and the organization allow, and the next is called when one has ended", async () => {
    const campaign = await dialing.newCampaign({ concurrency: 4, fields: { concurrency: 3 } });
    const running = await fill(campaign, 5);
    await until(running, ({ length }) => length === 3);
    await rest();
    expect(running()).toHaveLength(3);
    await hangUp(running()[0]!);
    await until(running, ({ length }) => length === 3);
    // Another one of the organization's, beside this campaign.
    await dialing.app.callPrivate(campaign.path, { method: "PATCH", json: { concurrency_limit: 2 } });
    await hangUp(running()[0]!);
    await rest();
    expect(running()).toHaveLength(2);
    expect((await campaign.attempts()).filter(({ state }) => state === "dropped")).toEqual([]);
    for (const call of running()) await hangUp(call);
    await until(running, ({ length }) => length === 1);
    for (const call of running()) await hangUp(call);
    await until(campaign.campaign, ({ status }) => status === "completed");
  });

  it("is what the wallet holds for, and a campaign that runs dry is paused", async () => {
    const campaign = await dialing.newCampaign({ tokens: 200 });
    const running = await fill(campaign, 3);
    await until(running, ({ length }) => length === 2);
    await rest();
    expect(running()).toHaveLength(2);
    expect(await campaign.campaign()).toMatchObject({ status: "active" });
    const [first, second] = running();
    for (const call of [first!, second!]) await call.answer();
    dialing.clock.advance(58_000);
    for (const call of [first!, second!]) await call.end();
    const paused = await until(campaign.campaign, ({ status }) => status === "paused");
    expect(paused).toMatchObject({ halted_because: "The organization's token balance is exhausted." });
    const { body } = await dialing.app.callPrivate<{ data: Record<string, unknown>[] }>(
      `${campaign.path}/audit`,
    );
    expect(body.data[0]).toMatchObject({
      ...{ actor: "dialer", action: "campaign.paused", subject_id: campaign.campaignId },
    });
    // With money again, it goes on.
    await dialing.app.callPrivate(`${campaign.path}/wallet/credits`, { json: { tokens: 100 } });
    await campaign.steer("resume");
    await until(running, ({ length }) => length === 1);
    expect(await campaign.campaign()).toMatchObject({ status: "active", halted_because: null });
    for (const call of running()) await hangUp(call);
  });

  it("is several for a seat that is free, where calls are answered by seats", async () => {
    const fields = { dialer_mode: "power", concurrency: 2, lines_per_seat: 2 };
    const campaign = await dialing.newCampaign({ fields });
    const running = await fill(campaign, 8);
    await until(running, ({ length }) => length === 4);
    const [one, two, three, four] = running();
    const seats: boolean[] = [];
    for (const call of [one!, two!, three!]) {
      await call.answer();
      seats.push(await call.ports.takeSeat());
      await call.ports.classified("human");
    }
    expect(seats).toEqual([true, true, false]);
    await rest();
    expect(running()).toHaveLength(4);
    await three!.end({ outcome: "abandoned" });
    await rest();
    expect(running()).toHaveLength(3);
    const attempt = (await campaign.attempts()).find(({ id }) => id === three!.callId);
    expect(attempt).toMatchObject({ outcome: "abandoned", abandoned: true, answered_by: "human" });
    // A seat comes free: two lines for it, of which one rings already.
    await one!.end();
    await until(running, ({ length }) => length === 3);
    expect(running()).toContain(four);
    await campaign.steer("pause");
    for (const call of running()) await call.end();
  });

  it("is bound by the starts a second that the campaign has", async () => {
    const campaign = await dialing.newCampaign({ concurrency: 100, fields: { calls_per_second: 2 } });
    const begun = dialing.clock.now();
    const running = await fill(campaign, 12);
    await until(running, ({ length }) => length === 12);
    const starts = (await campaign.attempts()).map(
      ({ claimed_at }) => Date.parse(String(claimed_at)) - begun,
    );
    for (const start of starts)
      expect(starts.filter((other) => other >= start && other < start + 1_000).length).toBeLessThanOrEqual(4);
    expect(starts.at(-1)! - starts[0]!).toBeGreaterThanOrEqual(4_500);
    for (const call of running()) await hangUp(call);
  });
});

it("tells the metrics of its attempts", async () => {
  const metrics = await (await fetch(`${dialing.app.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/outreach_dial_attempts_total\{outcome="busy"\} [1-9]/);
  expect(metrics).toContain('outreach_dial_attempts_live{state="dialed"} ');
  expect(metrics).toContain("outreach_dial_oldest_due_seconds ");
});
