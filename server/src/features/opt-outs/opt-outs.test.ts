import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { type FakeVoicePlane, fakeVoicePlane } from "../../testing/fake-voice-plane.ts";
import { startTestService, type TestService } from "../../testing/harness.ts";
import type { Carrier } from "../../voice/carriers/carrier.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";
const FROM = "+14155550100";
const TO = "+14155550199";

let app: TestService;
let organizationId: string;
let key: string;
beforeAll(async () => {
  app = await startTestService();
});
beforeEach(async () => {
  ({ organizationId, key } = await app.newOrganization());
});
afterAll(() => app.close());

const admin = (path: string, json?: unknown, id = organizationId) =>
  app.callPrivate(`/private/v1/organizations/${id}${path}`, json === undefined ? {} : { json });
const receive = (body: string, fields: object = {}) =>
  admin("/texts", { from_number: FROM, to_number: TO, body, ...fields });

describe("a text that comes in", () => {
  it("with an opt-out lists the number with the evidence and marks the lead, in its organization alone", async () => {
    const other = await app.newOrganization();
    const lead = (of: string) => app.call("/v1/leads", { key: of, json: { phone_number: FROM } });
    const [mine, theirs] = [await lead(key), await lead(other.key)];
    const { status, body } = await receive("Stop texting me please!", { from_number: "(415) 555-0100" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      from_number: FROM,
      to_number: TO,
      body: "Stop texting me please!",
      opt_out: true,
      matched: "stop texting",
      lead_ids: [mine.body.id],
    });
    expect((await admin("/dnc")).body.data).toMatchObject([
      {
        phone_number: FROM,
        source: "text",
        reason: "Stop texting me please!",
        added_by: `text:${body.id}`,
      },
    ]);
    expect((await admin("/audit?subject_type=dnc_entry")).body.data).toMatchObject([
      { action: "dnc_entry.added", subject_id: FROM, details: { source: "text" } },
    ]);
    expect((await app.call(`/v1/leads/${mine.body.id}`, { key })).body.status).toBe("do_not_call");
    expect((await app.call(`/v1/leads/${theirs.body.id}`, { key: other.key })).body.status).not.toBe(
      "do_not_call",
    );
    expect((await admin("/dnc", undefined, other.organizationId)).body.data).toEqual([]);
  });

  it("again changes nothing but that it is kept", async () => {
    const first = (await receive("STOP")).body;
    const again = (await receive("STOPALL")).body;
    expect(again.opt_out).toBe(true);
    expect((await admin("/dnc")).body.data).toMatchObject([{ added_by: `text:${first.id}` }]);
    expect((await admin("/texts")).body.data).toMatchObject([{ id: again.id }, { id: first.id }]);
    expect((await admin("/texts?limit=1&offset=1")).body.data).toMatchObject([{ id: first.id }]);
  });

  it("without one is kept, and changes nothing", async () => {
    const { body } = await receive("Cancel my appointment, I'll stop by tomorrow");
    expect(body).toMatchObject({ opt_out: false, matched: null, lead_ids: [] });
    expect((await receive("")).body).toMatchObject({ body: "", opt_out: false });
    expect((await admin("/dnc")).body.data).toEqual([]);
    expect((await admin("/texts")).body.data).toHaveLength(2);
  });

  it("is taken whatever it was sent to", async () => {
    for (const to of ["72345", "+442079460000", "2125550111"])
      expect(await receive("stop", { to_number: to })).toMatchObject({
        status: 201,
        body: { opt_out: true },
      });
  });

  it("at the same time from one number lists it once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => receive("STOP")));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect((await admin("/dnc")).body.data).toHaveLength(1);
    expect((await admin("/audit?subject_type=dnc_entry")).body.data).toHaveLength(1);
  });

  it.each([
    [{ from_number: "12" }, "invalid_phone_number"],
    [{ to_number: "" }, "invalid_request"],
    [{ body: 5 }, "invalid_request"],
    [{ body: "x".repeat(10_001) }, "invalid_request"],
    [{ media: [] }, "unknown_field:media"],
  ])("with %j is refused", async (fields, error) => {
    expect(await receive("STOP", fields)).toMatchObject({ status: 400, body: { error } });
    expect((await admin("/texts")).body.data).toEqual([]);
  });

  it("for an organization that isn't there is refused", async () => {
    const json = { from_number: FROM, to_number: TO, body: "STOP" };
    for (const answer of [await admin("/texts", json, UNKNOWN), await admin("/texts", undefined, UNKNOWN)])
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
  });
});

describe("the test of an utterance", () => {
  const test = (json: object) => app.callPrivate("/private/v1/opt-outs/test", { json });

  it("is of a person in a call unless it says otherwise", async () => {
    expect((await test({ text: "No me llame más" })).body).toEqual({ opt_out: true, matched: "no me llame" });
    expect((await test({ text: "end" })).body).toEqual({ opt_out: false, matched: null });
    expect((await test({ text: "end", channel: "text" })).body).toEqual({ opt_out: true, matched: "end" });
    for (const speaker of ["agent", "machine"])
      expect((await test({ text: "stop", speaker })).body).toEqual({ opt_out: false, matched: null });
  });

  it("refuses what it doesn't know", async () => {
    for (const json of [{}, { text: 1 }, { text: "x", channel: "mail" }, { text: "x", speaker: "dog" }])
      expect(await test(json)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect((await test({ text: "x", words: 1 })).body.error).toBe("unknown_field:words");
  });
});

describe("calls under way to who writes", () => {
  let plane: FakeVoicePlane;
  let service: TestService;
  beforeAll(async () => {
    plane = fakeVoicePlane(systemClock());
    const simulated: Carrier = {
      name: "simulated",
      dial() {
        throw new Error("the fake plane dials nobody");
      },
      async close() {},
    };
    service = await startTestService({ service: { voice: { plane, carriers: [simulated], drainMs: 0 } } });
  });
  afterAll(() => service.close());

  it("end, whether they ring or somebody talks, and those of others don't", async () => {
    const caller = async () => {
      const { organizationId: id, key: apiKey } = await service.newOrganization();
      const path = `/private/v1/organizations/${id}`;
      await service.callPrivate(`${path}/wallet/credits`, { json: { tokens: 10_000 } });
      await service.callPrivate(`${path}/numbers`, { json: { phone_number: TO } });
      const start = async (to_number: string) => {
        const json = { medium: "phone", to_number, system_prompt: "x" };
        expect(await service.call("/v1/calls", { key: apiKey, json })).toMatchObject({ status: 201 });
        return plane.last();
      };
      const read = async (callId: string) =>
        (await service.call(`/v1/calls/${callId}`, { key: apiKey })).body;
      return { path, start, read };
    };
    const [mine, theirs] = [await caller(), await caller()];
    const [ringing, talking, somebody] = [
      await mine.start(FROM),
      await mine.start(FROM),
      await mine.start("+14155550177"),
    ];
    const other = await theirs.start(FROM);
    await ringing.ring();
    for (const call of [talking, somebody, other]) await call.answer();

    const json = { from_number: FROM, to_number: TO, body: "STOP" };
    expect(await service.callPrivate(`${mine.path}/texts`, { json })).toMatchObject({ status: 201 });
    await expect
      .poll(() => mine.read(ringing.callId), { timeout: 15_000 })
      .toMatchObject({ status: "canceled", call_outcome: "canceled" });
    await expect
      .poll(() => mine.read(talking.callId), { timeout: 15_000 })
      .toMatchObject({ status: "completed", call_outcome: "do_not_call", disposition: "do_not_call" });
    expect(await mine.read(somebody.callId)).toMatchObject({ status: "in-progress" });
    expect(await theirs.read(other.callId)).toMatchObject({ status: "in-progress" });
  });
});
