import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const UNKNOWN = "0190f0f0-0000-7000-8000-000000000000";

describe("the do-not-call list", () => {
  const clock = manualClock();
  let app: TestService;
  let organizationId: string;
  beforeAll(async () => {
    app = await startTestService({ clock });
  });
  beforeEach(async () => {
    ({ organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  const dnc = (path = "", id = organizationId) => `/private/v1/organizations/${id}/dnc${path}`;
  const headers = { "x-outreach-actor": "ada" };
  const add = (json: unknown, id = organizationId) => {
    clock.advance(1);
    return app.callPrivate(dnc("", id), { json, headers });
  };
  const check = (number: string, id = organizationId) =>
    app.callPrivate(dnc(`/check?phone_number=${encodeURIComponent(number)}`, id));
  const remove = (number: string, id = organizationId) => {
    clock.advance(1);
    return app.callPrivate(dnc(`/${encodeURIComponent(number)}`, id), { method: "DELETE", headers });
  };
  const audit = async () =>
    (await app.callPrivate(`/private/v1/organizations/${organizationId}/audit?subject_type=dnc_entry`)).body
      .data as unknown[];

  it("adds, checks, lists and removes numbers in any format", async () => {
    const added = await add({ phone_number: "(415) 555-0100", reason: "asked by mail" });
    const entry = {
      phone_number: "+14155550100",
      reason: "asked by mail",
      source: "operator",
      added_by: "ada",
      created_at: new Date(clock.now()).toISOString(),
    };
    expect(added).toMatchObject({ status: 201, body: entry });
    const second = await add({ phone_number: "+442079460000" });
    expect((await app.callPrivate(dnc())).body).toEqual({ data: [second.body, entry], limit: 50, offset: 0 });
    expect((await app.callPrivate(dnc("?limit=1&offset=1"))).body.data).toEqual([entry]);
    expect((await check("415.555.0100")).body).toEqual({ phone_number: "+14155550100", listed: true, entry });
    expect((await check("4155550101")).body).toEqual({
      phone_number: "+14155550101",
      listed: false,
      entry: null,
    });
    expect(await remove("+14155550100")).toMatchObject({
      status: 200,
      body: { id: "+14155550100", phone_number: "+14155550100", deleted: true },
    });
    expect((await check("+14155550100")).body.listed).toBe(false);
    expect(await remove("+14155550100")).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await audit()).toMatchObject([
      { action: "dnc_entry.removed", subject_id: "+14155550100", details: { reason: "asked by mail" } },
      { action: "dnc_entry.added", subject_id: "+442079460000" },
      { action: "dnc_entry.added", subject_id: "+14155550100", actor: "ada" },
    ]);
  });

  it("keeps the first entry of a number that is added again", async () => {
    const first = await add({ phone_number: "4155550100", reason: "first" });
    const again = await add({ phone_number: "+1 415 555 0100", reason: "second" });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await audit()).toHaveLength(1);
  });

  it("adds a number once when many add it", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => add({ phone_number: "4155550100" })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(await audit()).toHaveLength(1);
  });

  it("keeps the lists of organizations apart", async () => {
    await add({ phone_number: "4155550100" });
    const other = await app.newOrganization();
    expect((await check("4155550100", other.organizationId)).body.listed).toBe(false);
    expect((await remove("4155550100", other.organizationId)).status).toBe(404);
    expect((await check("4155550100")).body.listed).toBe(true);
  });

  it.each([
    [{}, "invalid_phone_number"],
    [{ phone_number: "123" }, "invalid_phone_number"],
    [{ phone_number: 4155550100 }, "invalid_phone_number"],
    [{ phone_number: "4155550100", reason: 5 }, "invalid_request"],
    [{ phone_number: "4155550100", source: "me" }, "unknown_field:source"],
  ])("refuses to add %j", async (json, error) => {
    expect(await add(json)).toMatchObject({ status: 400, body: { error } });
    expect(await audit()).toEqual([]);
  });

  it("takes a reason of 500 characters, and none of 501", async () => {
    expect(await add({ phone_number: "4155550100", reason: "é".repeat(501) })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    expect((await add({ phone_number: "4155550100", reason: "é".repeat(500) })).status).toBe(201);
  });

  it("refuses what is no number, and what isn't there", async () => {
    for (const answer of [
      await check("x"),
      await app.callPrivate(dnc("/check")),
      await remove("4155550100x12"),
    ])
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_phone_number" } });
    for (const answer of [
      await add({ phone_number: "4155550100" }, UNKNOWN),
      await check("4155550100", UNKNOWN),
      await remove("4155550100", UNKNOWN),
      await app.callPrivate(dnc("", UNKNOWN)),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
  });
});
