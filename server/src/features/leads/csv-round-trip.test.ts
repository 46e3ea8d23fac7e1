import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

/** Text as customers have it and as they never would, with what CSV gives a meaning. */
const anyText = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ",",
          ";",
          "\t",
          '"',
          '""',
          "'",
          "\n",
          "\r",
          "\r\n",
          " ",
          "\\",
          "\\.",
          "\\N",
          "=1+1",
          "\ufeff",
          "é",
          "😀",
          "\u2028",
        ),
        fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
      ),
      { maxLength: maxLength / 4 },
    )
    .map((parts) => parts.join(""))
    .filter((text) => !text.includes("\0") && text.isWellFormed() && Array.from(text).length <= maxLength);

const anyLead = fc.record(
  {
    first_name: fc.option(anyText(120)),
    last_name: fc.option(anyText(120)),
    email_address: fc.constantFrom(null, "a@example.com", '"odd, local"@example.com'),
    status: anyText(64),
    credit_score: fc.option(fc.integer({ min: 300, max: 850 })),
    annual_income: fc.option(fc.double({ min: 1e-300, max: 1e12, noNaN: true })),
    consent_source: anyText(64),
    consented_at: fc.option(
      fc
        .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
        .map((date) => date.toISOString().replace(/^\+00/, "")),
    ),
  },
  { requiredKeys: [] },
);

const COLUMNS = [
  "first_name",
  "last_name",
  "phone_number",
  "email_address",
  "status",
  "credit_score",
  "annual_income",
  "consent_source",
  "consented_at",
];
const isBlank = (value: unknown) => value === null || (typeof value === "string" && value.trim() === "");

describe("an export", () => {
  let app: TestService;
  beforeAll(async () => {
    app = await startTestService();
  });
  afterAll(() => app.close());

  const leadsOf = async (organizationId: string) =>
    app.database.query<Record<string, unknown>>({
      text: `SELECT ${COLUMNS.join(", ")} FROM leads WHERE organization_id = $1 ORDER BY created_at, id`,
      values: [organizationId],
    });
  const importInto = (key: string, csv: string) => app.call("/v1/leads/bulk", { key, json: { csv } });

  it("imported again changes nothing, and imported elsewhere makes the same leads", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyLead, { minLength: 1, maxLength: 6 }), async (leads) => {
        const from = await app.newOrganization();
        for (const [index, lead] of leads.entries()) {
          const json = { ...lead, phone_number: `415555010${index}` };
          const created = await app.call("/v1/leads", { key: from.key, json });
          expect(created.status, JSON.stringify(created.body)).toBe(201);
        }
        const stored = await leadsOf(from.organizationId);
        const { body: csv } = await app.call<string>("/v1/leads.csv", { key: from.key });

        const again = await importInto(from.key, csv);
        expect(again.body).toMatchObject({
          total: leads.length,
          inserted: 0,
          updated: leads.length,
          failed: 0,
        });
        expect(await leadsOf(from.organizationId)).toEqual(stored);

        const to = await app.newOrganization();
        const copied = await importInto(to.key, csv);
        expect(copied.body).toMatchObject({ total: leads.length, inserted: leads.length, failed: 0 });
        const path = `/private/v1/organizations/${to.organizationId}/imports/${copied.body.job_id}`;
        expect((await app.callPrivate(path)).body).toMatchObject({ warning_count: 0 });
        // A cell of white space alone counts as not sent: elsewhere it becomes the column's default.
        const defaults: Record<string, unknown> = { status: "new", consent_source: "csv_import" };
        const expected = stored.map((lead) =>
          Object.fromEntries(
            Object.entries(lead).map(([name, value]) => [
              name,
              isBlank(value) ? (defaults[name] ?? null) : value,
            ]),
          ),
        );
        expect(await leadsOf(to.organizationId)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
