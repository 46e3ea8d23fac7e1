import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import { inspectCsv } from "./inspect-csv.ts";

describe("inspectCsv", () => {
  it("tells what is in the file and how to map it", async () => {
    const rows = Array.from({ length: 7 }, (_, index) => `Ann${index},415555010${index},"a,b"`);
    expect(await inspectCsv(`\ufeffFirst Name, Mobile ,Favourite\r\n${rows.join("\r\n\r\n")}\r\n`)).toEqual({
      total_rows: 7,
      headers: ["First Name", "Mobile", "Favourite"],
      suggested_mapping: { first_name: "First Name", phone_number: "Mobile" },
      unmapped: ["Favourite"],
      missing_required: [],
      sample_rows: [0, 1, 2, 3, 4].map((index) => ({
        "First Name": `Ann${index}`,
        Mobile: `415555010${index}`,
        Favourite: "a,b",
      })),
    });
  });

  it("reads ragged rows as far as they go, and the first of equal headers", async () => {
    const { sample_rows, total_rows } = await inspectCsv("a,b,a\n1\n1,2,3,4\n");
    expect(total_rows).toBe(2);
    expect(sample_rows).toEqual([{ a: "1" }, { a: "1", b: "2" }]);
  });

  it("keeps headers such as __proto__ as keys of the answer", async () => {
    const inspection = await inspectCsv("__proto__,constructor,toString\n1,2,3\n");
    expect(JSON.parse(JSON.stringify(inspection.sample_rows))).toEqual(
      JSON.parse('[{"__proto__":"1","constructor":"2","toString":"3"}]'),
    );
    expect(Object.keys(inspection.sample_rows[0] ?? {})).toEqual(["__proto__", "constructor", "toString"]);
  });

  it("takes a header alone", async () => {
    expect(await inspectCsv("name")).toEqual({
      total_rows: 0,
      headers: ["name"],
      suggested_mapping: {},
      unmapped: ["name"],
      missing_required: ["phone_number"],
      sample_rows: [],
    });
  });

  it.each([
    [undefined, "csv_required"],
    ["", "csv_required"],
    [5, "csv_required"],
    ["\ufeff", "invalid_csv"],
    ["  \n", "invalid_csv"],
    ['a\n"b', "invalid_csv"],
    ["x".repeat(5_000_001), "payload_too_large"],
  ])("refuses %.20j as %s", async (csv, code) => {
    await expect(inspectCsv(csv)).rejects.toMatchObject({ code });
  });

  it("throws nothing but domain errors, and counts as many samples as there are rows, up to five", async () => {
    const piece = fc.constantFrom(
      '"',
      '""',
      ",",
      ";",
      "\t",
      "\n",
      "\r\n",
      "phone",
      "Ann",
      "__proto__",
      "💥",
      "\0",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (csv) => {
        try {
          const { total_rows, sample_rows } = await inspectCsv(csv);
          expect(sample_rows).toHaveLength(Math.min(5, total_rows));
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
