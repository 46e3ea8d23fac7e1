import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import { openCsv } from "./csv.ts";

async function cellsOf(csv: string): Promise<string[][]> {
  const { headers, rowBatches } = await openCsv(csv);
  const cells = [[...headers]];
  for await (const batch of rowBatches(3)) cells.push(...batch.map((row) => [...row.cells]));
  return cells;
}

describe("openCsv, on any text", () => {
  const piece = fc.constantFrom(
    '"',
    '""',
    ",",
    ";",
    "\t",
    "\n",
    "\r",
    "\r\n",
    " ",
    "a",
    "b",
    "\ufeff",
    "\0",
    "💥",
    "\ud800",
  );
  const nasty = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

  it("throws nothing but invalid_csv", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(nasty, fc.string({ unit: "binary" })), async (csv) => {
        try {
          for (const cells of await cellsOf(csv)) expect(cells.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
          expect((error as DomainError).code).toBe("invalid_csv");
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("reads what csv-parse reads where that is strict", async () => {
    let compared = 0;
    const options = {
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_records_with_empty_values: true,
    };
    const strictPiece = fc.constantFrom('"', '""', '"x"', ",", "\n", "\r\n", "\r", "a", "b,", '"a,\n"', "ü");
    await fc.assert(
      fc.asyncProperty(fc.array(strictPiece, { maxLength: 30 }), async (pieces) => {
        const csv = `h1,h2,h3,h4,h5,h6,h7,h8\n${pieces.join("")}`;
        let expected: string[][];
        try {
          expected = parse(csv, options);
        } catch {
          return;
        }
        compared++;
        expect(await cellsOf(csv)).toEqual(expected.map((row) => row.slice(0, 8)));
      }),
      { numRuns: 3000 },
    );
    expect(compared).toBeGreaterThan(200);
  });

  it("reads back whatever was written with every cell quoted", async () => {
    const cell = fc.oneof(nasty, fc.string({ unit: "binary" }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { maxLength: 10 }),
        fc.constantFrom(",", ";", "\t"),
        fc.constantFrom("\n", "\r", "\r\n"),
        async (rows, separator, lineBreak) => {
          const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const lines = [["h1", "h2"], ...rows].map((row) => row.map(quote).join(separator));
          const written = rows.filter((row) => row.some((text) => text.trim() !== ""));
          expect(await cellsOf(lines.join(lineBreak))).toEqual([["h1", "h2"], ...written]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
