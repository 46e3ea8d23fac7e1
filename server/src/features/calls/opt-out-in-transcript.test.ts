import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { Carrier } from "../../voice/carriers/carrier.ts";

const simulated: Carrier = {
  name: "simulated",
  dial() {
    throw new Error("the fake plane dials nobody");
  },
  async close() {},
};

describe("an opt-out that only the transcript of an ended call tells", () => {
  const clock = manualClock();
  const plane: FakeVoicePlane = fakeVoicePlane(clock);
  let app: TestService;
  let organizationId: string;
  let key: string;
  let leadId: string;
  beforeAll(async () => {
    app = await startTestService({ clock, service: { voice: { plane, carriers: [simulated], drainMs: 0 } } });
  });
  beforeEach(async () => {
    ({ organizationId, key } = await app.newOrganization());
    await admin("/wallet/credits", { tokens: 1_000 });
    await admin("/numbers", { phone_number: "2125550199" });
    const lead = await app.call("/v1/leads", { key, json: { phone_number: "4155550100" } });
    leadId = String(lead.body.id);
  });
  afterAll(() => app.close());

  const admin = (path: string, json?: unknown) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, json === undefined ? {} : { json });
  const listed = async () => (await admin("/dnc")).body.data as { added_by: string }[];
  async function answered(answeredBy: "human" | "machine" | "unknown"): Promise<string> {
    const json = { medium: "phone", to_number: "4155550100", system_prompt: "Be kind." };
    const { body } = await app.call("/v1/calls", { key, json });
    await plane.last().answer();
    await plane.last().ports.classified(answeredBy);
    return String(body.id);
  }

  it.each(["human", "unknown"] as const)("is recorded with the end, from a %s", async (by) => {
    const id = await answered(by);
    await plane.last().say("agent", "Hello, this is Ada.");
    await plane.last().say("user", "Who? Take me off your list, and goodbye.");
    expect(await listed()).toEqual([]);
    await plane.last().end();
    expect(await listed()).toMatchObject([
      {
        phone_number: "+14155550100",
        source: "call",
        reason: "Who? Take me off your list, and goodbye.",
        added_by: `call:${id}`,
      },
    ]);
    expect((await app.call(`/v1/leads/${leadId}`, { key })).body.status).toBe("do_not_call");
    expect((await app.call(`/v1/calls/${id}`, { key })).body).toMatchObject({
      status: "completed",
      call_outcome: "completed",
      disposition: "do_not_call",
    });
  });

  it("is recorded when a pause has parted it, and not across what the agent said", async () => {
    await answered("human");
    await plane.last().say("user", "I don't want you to");
    await plane.last().say("agent", "Yes?");
    await plane.last().say("user", "call me again.");
    await plane.last().end();
    expect(await listed()).toEqual([]);
    await answered("human");
    await plane.last().say("user", "I don't want you to");
    await plane.last().say("user", "call me again.");
    await plane.last().end();
    expect(await listed()).toMatchObject([{ reason: "I don't want you to call me again." }]);
  });

  it("is none when a machine, the agent or nobody said it, or it was no wish", async () => {
    await answered("machine");
    await plane.last().say("user", "We take no sales calls, remove this number from your list.");
    await plane.last().end({ status: "completed", outcome: "voicemail" });
    await answered("human");
    await plane.last().say("agent", "Shall I take you off the list? Say stop.");
    await plane.last().say("user", "No thanks, not interested. Call me later.");
    await plane.last().ports.turn({ role: "user", source: "vad", text: "stop", startMs: 0, endMs: 1 });
    await plane.last().end();
    expect(await listed()).toEqual([]);
    expect((await app.call(`/v1/leads/${leadId}`, { key })).body.status).not.toBe("do_not_call");
  });

  it("that the call recorded itself keeps that evidence", async () => {
    await answered("human");
    await plane.last().say("user", "Stop calling me.");
    await plane.last().ports.runTool("record_opt_out", { evidence: "keyed 9" });
    await plane.last().end({ outcome: "do_not_call" });
    expect(await listed()).toMatchObject([{ reason: "keyed 9" }]);
    expect((await admin("/audit?subject_type=dnc_entry")).body.data).toHaveLength(1);
  });
});
