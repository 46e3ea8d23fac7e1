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

/** A Thursday, 10:00 in New York; the clocks go forward on the Sunday. */
const NOW = "2026-03-05T15:00:00.000Z";

describe("in a call", () => {
  const clock = manualClock(Date.parse(NOW));
  const plane: FakeVoicePlane = fakeVoicePlane(clock);
  let app: TestService;
  let organizationId: string;
  let key: string;
  let leadId: string;
  let callId: string;
  beforeAll(async () => {
    app = await startTestService({ clock, service: { voice: { plane, carriers: [simulated], drainMs: 0 } } });
  });
  beforeEach(async () => {
    ({ organizationId, key } = await app.newOrganization());
    await admin("/wallet/credits", { tokens: 1_000 });
    await admin("/numbers", { phone_number: "2125550199" });
    leadId = String((await app.call("/v1/leads", { key, json: { phone_number: "2125550100" } })).body.id);
    await call();
  });
  afterAll(() => app.close());

  const admin = (path: string, json?: unknown, method?: string) =>
    app.callPrivate(`/private/v1/organizations/${organizationId}${path}`, {
      ...(json === undefined ? {} : { json }),
      ...(method === undefined ? {} : { method }),
    });
  const hours = (appointment_hours: object) => admin("", { appointment_hours }, "PATCH");
  async function call(json: object = { medium: "phone", lead_id: leadId }) {
    callId = String(
      (await app.call("/v1/calls", { key, json: { system_prompt: "Be kind.", ...json } })).body.id,
    );
    await plane.last().answer();
  }
  const record = async () => (await app.call(`/v1/calls/${callId}`, { key })).body;
  const book = (day: string, time: string, more: object = {}) =>
    plane.last().ports.runTool("book_appointment", { day, time, ...more });
  const callBack = (callback_at: string) => plane.last().ports.runTool("schedule_callback", { callback_at });

  describe("an appointment", () => {
    it("is booked whenever the person likes while the organization has no hours", async () => {
      expect(await book("saturday", "22:00")).toMatchObject({
        ok: true,
        result: { appointment_datetime: "2026-03-08T03:00:00.000Z", timezone: "America/New_York" },
      });
      const { body } = await app.call<{ data: object[] }>("/v1/appointments", { key });
      expect(body.data).toMatchObject([
        { lead_id: leadId, call_id: callId, source: "ai_agent", campaign_id: null },
      ]);
    });

    it("is booked within the hours, right after the clocks have changed", async () => {
      await hours({ mon: ["09:00-17:00"] });
      expect(await book("monday", "09:00")).toMatchObject({
        result: { appointment_datetime: "2026-03-09T13:00:00.000Z" },
      });
      expect(await book("monday", "16:30")).toMatchObject({ ok: true });
    });

    it("outside the hours is refused with three free times near it", async () => {
      await hours({ fri: ["09:00-12:00"], mon: ["09:00-17:00"] });
      await book("monday", "09:00");
      expect(await book("saturday", "11:00")).toEqual({
        ok: false,
        error:
          "That time is outside the hours for appointments. Free times: Friday, March 6 at 10:30 AM; Friday, March 6 at 11:00 AM; Friday, March 6 at 11:30 AM.",
        alternatives: [
          { day: "2026-03-06", time: "10:30" },
          { day: "2026-03-06", time: "11:00" },
          { day: "2026-03-06", time: "11:30" },
        ],
      });
      // One that ends too late.
      expect(await book("2026-03-09", "16:45")).toMatchObject({ ok: false });
      expect(await book("2026-03-08", "20:00")).toMatchObject({
        alternatives: [
          { day: "2026-03-09", time: "09:30" },
          { day: "2026-03-09", time: "10:00" },
          { day: "2026-03-09", time: "10:30" },
        ],
      });
    });

    it("that overlaps another or is past is refused with what is free", async () => {
      await book("tomorrow", "10:00", { duration_minutes: 60 });
      expect(await book("tomorrow", "10:30")).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^They have another appointment at that time\. Free times: /),
        alternatives: [
          { day: "2026-03-06", time: "09:30" },
          { day: "2026-03-06", time: "11:00" },
          { day: "2026-03-06", time: "11:30" },
        ],
      });
      expect(await book("today", "09:00")).toMatchObject({
        error: expect.stringMatching(/past/),
        alternatives: [{ day: "2026-03-05", time: "10:30" }, {}, {}],
      });
      // Whoever was offered a time can have it.
      for (const { day, time } of [{ day: "2026-03-06", time: "11:00" }])
        expect(await book(day, time)).toMatchObject({ ok: true });
    });

    it("of two at once for one lead is booked once", async () => {
      const results = await Promise.all([book("tomorrow", "10:00"), book("tomorrow", "10:15")]);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(results.find(({ ok }) => !ok)).toMatchObject({ alternatives: [{}, {}, {}] });
    });

    it("is on the person's own clock, or the one they name", async () => {
      await call({ medium: "phone", to_number: "8085550100" });
      await hours({ fri: ["09:00-17:00"] });
      expect(await book("tomorrow", "08:00")).toMatchObject({
        result: { appointment_datetime: "2026-03-06T18:00:00.000Z", timezone: "Pacific/Honolulu" },
      });
      expect(await book("tomorrow", "12:00")).toMatchObject({
        ok: false,
        alternatives: [{ time: "10:30" }, { time: "11:00" }, { time: "11:30" }],
      });
      expect(await book("tomorrow", "10:00", { timezone: "America/New_York" })).toMatchObject({ ok: true });
      expect(await book("2026-02-30", "10:00")).toEqual({ ok: false, error: "There is no day 2026-02-30." });
      expect(await book("tomorrow", "10:00", { timezone: "Mars/Olympus" })).toMatchObject({ ok: false });
    });

    it("booked by people isn't restricted to the hours", async () => {
      await hours({ mon: ["09:00-17:00"] });
      const json = { lead_id: leadId, appointment_datetime: "2026-03-07T23:00:00Z" };
      expect((await app.call("/v1/appointments", { key, json })).status).toBe(201);
      const later = { ...json, appointment_datetime: "2026-03-08T23:00:00Z" };
      expect((await admin("/appointments", later)).status).toBe(201);
    });
  });

  describe("the wish to be called again", () => {
    it("is kept with the call, the last one that was said", async () => {
      expect((await record()).callback_at).toBeNull();
      expect(await callBack("PT20M")).toEqual({
        ok: true,
        result: {
          callback_at: "2026-03-05T15:20:00.000Z",
          timezone: "America/New_York",
          local_time: "Thursday, March 5 at 10:20 AM",
        },
      });
      await callBack("monday 15:00");
      expect((await record()).callback_at).toBe("2026-03-09T19:00:00.000Z");
      await plane.last().end();
      expect((await record()).callback_at).toBe("2026-03-09T19:00:00.000Z");
    });

    it.each([
      ["later", "names no time"],
      ["2026-03-05T09:00", "in the past"],
      ["2026-04-04T15:00:01Z", "at most 30 days"],
    ])("%s is refused", async (text, why) => {
      expect(await callBack(text)).toMatchObject({ ok: false, error: expect.stringContaining(why) });
      expect((await record()).callback_at).toBeNull();
    });

    it("can be 30 days ahead, and no more once the call is over", async () => {
      expect(await callBack("2026-04-04T15:00:00Z")).toMatchObject({ ok: true });
      await plane.last().end();
      expect(await callBack("PT20M")).toEqual({ ok: false, error: "The call is over." });
    });

    it("is dropped with the wish not to be called any more, said or found in the transcript", async () => {
      await callBack("PT20M");
      await plane.last().ports.runTool("record_opt_out", { evidence: "stop" });
      expect((await record()).callback_at).toBeNull();
      await admin(`/dnc/${encodeURIComponent("+12125550100")}`, undefined, "DELETE");
      await call();
      await callBack("PT20M");
      await plane.last().say("user", "No, wait. Never call me again.");
      await plane.last().end();
      expect(await record()).toMatchObject({ callback_at: null, disposition: "do_not_call" });
    });

    it("needs a number", async () => {
      await call({ medium: "browser" });
      expect(await callBack("PT20M")).toMatchObject({ ok: false, error: expect.stringContaining("number") });
    });
  });
});
