import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../testing/harness.ts";

describe("POST /leads/inspect-csv", () => {
  let app: TestService;
  let key: string;
  beforeAll(async () => {
    app = await startTestService();
    ({ key } = await app.newOrganization());
  });
  afterAll(() => app.close());
  const inspect = (csv: unknown) => app.call("/v1/leads/inspect-csv", { key, json: { csv } });

  it("tells what is in the file and stores nothing", async () => {
    const rows = Array.from({ length: 7 }, (_, index) => `415555010${index};L${index};x`);
    const answer = await inspect(`\ufeffCell Phone;Surname;Shoe size\r\n${rows.join("\r\n")}\r\n\r\n`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      total_rows: 7,
      headers: ["Cell Phone", "Surname", "Shoe size"],
      suggested_mapping: { last_name: "Surname", phone_number: "Cell Phone" },
      unmapped: ["Shoe size"],
      missing_required: [],
      sample_rows: Array.from({ length: 5 }, (_, index) => ({
        "Cell Phone": `415555010${index}`,
        Surname: `L${index}`,
        "Shoe size": "x",
      })),
    });
    const [counts] = await app.database.query({
      text: "SELECT (SELECT count(*) FROM leads) AS leads, (SELECT count(*) FROM import_jobs) AS jobs",
    });
    expect(counts).toEqual({ leads: 0, jobs: 0 });
  });

  it("hands every header through as it is, also odd ones", async () => {
    const headers = ["__proto__", "constructor", "a\nb", 'q"q', "", "é😀"];
    const csv = `${headers.map((header) => `"${header.replaceAll('"', '""')}"`).join(",")}\n1,2,3,4,5,6\n`;
    const { body } = await inspect(csv);
    expect(body).toMatchObject({ headers, missing_required: ["phone_number"], unmapped: headers });
    const [sample] = body.sample_rows as Record<string, string>[];
    expect(Object.entries(sample!)).toEqual(headers.map((header, index) => [header, String(index + 1)]));
  });

  it.each([
    [undefined, "csv_required"],
    [null, "csv_required"],
    [["a"], "csv_required"],
    ["", "csv_required"],
    ["\n \n", "invalid_csv"],
    ['phone_number\n"4155550100\n', "invalid_csv"],
    ["phone_number\ud800\n", "invalid_request"],
  ])("refuses %j with %s", async (csv, error) => {
    expect(await inspect(csv)).toMatchObject({ status: 400, body: { error } });
  });
});
