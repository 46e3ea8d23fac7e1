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
  const remove = (number: string, id = organizationId, query = "") => {
    clock.advance(1);
    return app.callPrivate(dnc(`/${encodeURIComponent(number)}${query}`, id), { method: "DELETE", headers });
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
      {
        action: "dnc_entry.removed",
        actor: "ada",
        subject_id: "+14155550100",
        details: { reason: null, entry: { reason: "asked by mail", source: "operator", added_by: "ada" } },
      },
      { action: "dnc_entry.added", subject_id: "+442079460000" },
      { action: "dnc_entry.added", subject_id: "+14155550100", actor: "ada" },
    ]);
  });

  it("keeps why a number was taken off", async () => {
    await add({ phone_number: "4155550100", reason: "asked" });
    const reason = "consented again by letter";
    expect(
      (await remove("4155550100", organizationId, `?reason=${encodeURIComponent(reason)}`)).body,
    ).toMatchObject({ deleted: true });
    expect((await audit())[0]).toMatchObject({ details: { reason, entry: { reason: "asked" } } });
    await add({ phone_number: "4155550100" });
    const tooLong = await remove("4155550100", organizationId, `?reason=${"x".repeat(501)}`);
    expect(tooLong).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect((await check("4155550100")).body.listed).toBe(true);
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

  describe("a CSV", () => {
    const bring = (csv: string, fields: object = {}) =>
      app.callPrivate(dnc("/import"), { json: { csv, ...fields }, headers });
    const exported = async () => {
      const path = `/private/v1/organizations/${organizationId}/dnc.csv`;
      return (await app.callPrivate<string>(path)).body;
    };

    it("brings numbers with their reasons, each with its entry in the audit log", async () => {
      await add({ phone_number: "4155550100", reason: "first" });
      const csv =
        '\ufeffName,Phone Number,Reason\r\nA,(415) 555-0100,late\r\nB,4155550101,"said ""no"""\r\nC,none,\r\nD,415.555.0101,again\r\nE,+442079460000,\r\n';
      expect((await bring(csv, { reason: "bought list" })).body).toEqual({
        total: 5,
        added: 2,
        listed: 2,
        failed: 1,
        errors: [{ row_number: 3, code: "invalid_or_missing_phone" }],
      });
      expect((await check("4155550100")).body.entry).toMatchObject({ reason: "first", source: "operator" });
      expect((await check("4155550101")).body.entry).toMatchObject({
        reason: 'said "no"',
        source: "import",
        added_by: "ada",
      });
      expect((await check("+442079460000")).body.entry).toMatchObject({ reason: "bought list" });
      expect(await audit()).toHaveLength(3);
      expect(await audit()).toContainEqual(
        expect.objectContaining({
          actor: "ada",
          action: "dnc_entry.added",
          subject_id: "+14155550101",
          details: { reason: 'said "no"', source: "import" },
        }),
      );
      expect((await bring(csv)).body).toMatchObject({ added: 0, listed: 4 });
    });

    it("of numbers alone needs no header", async () => {
      expect((await bring("4155550101\n4155550102\n")).body).toMatchObject({ total: 2, added: 2, failed: 0 });
    });

    it("of many numbers is brought whole", async () => {
      const many = Array.from({ length: 10_000 }, (_, n) => `+1415555${String(n).padStart(4, "0")}`);
      const csv = ["phone", ...many, "none", ...many.slice(0, 7)].join("\n");
      const brought = { total: 10_008, failed: 1, errors: [{ row_number: 10_001 }] };
      expect((await bring(csv)).body).toMatchObject({ ...brought, added: 10_000, listed: 7 });
      const lines = (await exported()).trim().split("\r\n").slice(1);
      expect(lines.map((line) => line.split(",")[0])).toEqual(many);
      const audited = await app.database.query<{ subjects: number }>({
        text: `SELECT count(DISTINCT subject_id)::int AS subjects FROM audit_log
               WHERE organization_id = $1 AND action = 'dnc_entry.added' AND actor = 'ada'`,
        values: [organizationId],
      });
      expect(audited).toEqual([{ subjects: 10_000 }]);
      expect((await bring(csv)).body).toMatchObject({ ...brought, added: 0, listed: 10_007 });
    });

    it("goes out, and comes back in as it was", async () => {
      await add({ phone_number: "4155550101", reason: 'a, "b"\nc' });
      await add({ phone_number: "4155550100" });
      const csv = await exported();
      expect(csv).toMatch(/^phone_number,reason,source,added_by,created_at\r\n\+14155550100,,operator,ada,/);
      ({ organizationId } = await app.newOrganization());
      expect(await exported()).toBe("phone_number,reason,source,added_by,created_at\r\n");
      expect((await bring(csv)).body).toMatchObject({ added: 2, failed: 0 });
      expect((await check("4155550101")).body.entry).toMatchObject({ reason: 'a, "b"\nc' });
    });

    it.each([
      [{}, "csv_required"],
      [{ csv: "" }, "csv_required"],
      [{ csv: "name\nAda" }, "invalid_csv"],
      [{ csv: 'phone\n"' }, "invalid_csv"],
      [{ csv: "phone\n1", size: 1 }, "unknown_field:size"],
    ])("of %j is refused", async (json, error) => {
      const answer = await app.callPrivate(dnc("/import"), { json, headers });
      expect(answer).toMatchObject({ status: 400, body: { error } });
    });
  });
});
