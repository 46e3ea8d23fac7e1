import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

const letters = (count: number) => "x".repeat(count);
/** One code point, two UTF-16 units, four bytes. */
const faces = (count: number) => "😀".repeat(count);

/** Fields that create and patch share: values at their bounds, and values just past them or of another type. */
const FIELDS: Record<string, { good: unknown[]; bad: unknown[] }> = {
  first_name: {
    good: [null, "", 'O\'Brien "Ada"\n', letters(120), faces(120)],
    bad: [letters(121), faces(121), 5, true, ["a"], { a: 1 }, "a\u0000b", "\ud800"],
  },
  last_name: { good: [null, letters(120), faces(120)], bad: [letters(121), faces(121), 5] },
  email_address: {
    good: [null, "  Ada@Example.COM "],
    bad: ["", "ada", "ada@", "@example.com", "a b@example.com", 5, ["a@example.com"]],
  },
  status: { good: ["new", letters(64), faces(64)], bad: [null, letters(65), faces(65), 5] },
  campaign_id: { good: [null], bad: ["", "nope", 5, "01a1fd44-cf0f-7231-957a-f48cd5a78f9"] },
  consent_source: { good: ["web", letters(64), faces(64)], bad: [null, letters(65), 5] },
  consented_at: {
    good: [null, "2026-01-05", "2026-01-05T10:00:00Z", "2026-01-05T10:00:00.5+02:00", "2024-02-29"],
    bad: ["", "yesterday", "2026-02-29", "2026-13-01", "01/05/2026", 1767225600, "2026-01-05T25:00:00Z"],
  },
  credit_score: { good: [null, 300, 850], bad: [299, 851, 700.5, "700", 1e300, true] },
  annual_income: {
    good: [null, 0.01, 75000.5, 1_000_000_000_000],
    bad: [0, -1, 1_000_000_000_001, 1e300, "75000"],
  },
  notes: { good: [null, letters(4000), faces(4000)], bad: [letters(4001), faces(4001), 5] },
};
const cases = (kind: "good" | "bad") =>
  Object.entries(FIELDS).flatMap(([field, values]) => values[kind].map((value) => ({ field, value })));

describe("the bounds of a lead's fields", () => {
  let app: TestService;
  let key: string;
  let organizationId: string;
  let next = 4_155_550_000;
  const phone = () => String(next++);
  const written = async () => {
    const [row] = await app.database.query<{ leads: number; events: number }>({
      text: `SELECT (SELECT sum(version) FROM leads WHERE organization_id = $1)::int AS leads,
                    (SELECT count(*) FROM events WHERE organization_id = $1)::int AS events`,
      values: [organizationId],
    });
    return row;
  };
  beforeAll(async () => {
    app = await startTestService();
    ({ key, organizationId } = await app.newOrganization());
  });
  afterAll(() => app.close());

  it.each(cases("good"))("take $field = $value on create and on patch", async ({ field, value }) => {
    const created = await app.call("/v1/leads", { key, json: { phone_number: phone(), [field]: value } });
    expect(created.status).toBe(201);
    const patched = await app.call(`/v1/leads/${created.body.id}`, {
      key,
      method: "PATCH",
      json: { [field]: value },
    });
    expect(patched.status).toBe(200);
    const { updated_at: _1, ...before } = created.body;
    const { updated_at: _2, ...after } = patched.body;
    expect(after).toEqual(before);
  });

  it("refuse every other value on create and on patch, and write nothing", async () => {
    const { body: lead } = await app.call("/v1/leads", { key, json: { phone_number: phone() } });
    const before = await written();
    for (const { field, value } of cases("bad")) {
      const create = { phone_number: phone(), [field]: value };
      for (const [path, request] of [
        ["/v1/leads", { key, json: create }],
        [`/v1/leads/${lead.id}`, { key, method: "PATCH", json: { [field]: value } }],
      ] as const) {
        const answer = await app.call(path, request);
        expect
          .soft([answer.status, answer.body.error], `${path} ${field} = ${JSON.stringify(value)}`)
          .toEqual([400, "invalid_request"]);
      }
    }
    expect(await written()).toEqual(before);
  });

  it.each([
    ["415555010", 400],
    ["4155550100", 201],
    ["123456789012345", 201],
    ["1234567890123456", 400],
    ["+1 (415) 555-0199 ext. 4", 400],
    ["call me", 400],
    [null, 400],
    [4155550100, 400],
    [["4155550100"], 400],
    [undefined, 400],
  ])("answer phone_number %j with %i", async (phone_number, status) => {
    const answer = await app.call("/v1/leads", { key, json: { phone_number, first_name: "A" } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toBe("invalid_phone_number");
  });

  it("name the unknown field, before the value of any other is looked at", async () => {
    for (const [json, error] of [
      ['{"phone_number":1,"organization_id":"x"}', "unknown_field:organization_id"],
      ['{"phone_number":1,"__proto__":{"a":1}}', "unknown_field:__proto__"],
      ['{"phone_number":1,"constructor":1}', "unknown_field:constructor"],
      ['{"source_tag":"x"}', "unknown_field:source_tag"],
    ] as const) {
      const headers = { "content-type": "application/json" };
      expect((await app.call("/v1/leads", { key, body: json, headers })).body.error).toBe(error);
    }
  });

  it("refuse a patch of nothing, of the number, and of an unknown field", async () => {
    const { body: lead } = await app.call("/v1/leads", { key, json: { phone_number: phone() } });
    const before = await written();
    for (const [json, error] of [
      [{}, "nothing_to_update"],
      [{ phone_number: lead.phone_number }, "phone_number_immutable"],
      [{ phone_number: 5, first_name: "A" }, "phone_number_immutable"],
      [{ id: lead.id }, "unknown_field:id"],
    ] as const) {
      expect(await app.call(`/v1/leads/${lead.id}`, { key, method: "PATCH", json })).toMatchObject({
        status: 400,
        body: { error },
      });
    }
    expect(await written()).toEqual(before);
  });
});
