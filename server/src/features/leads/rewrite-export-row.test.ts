import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rewriteExportRow } from "./rewrite-export-row.ts";

const ID = "01a1fd44-cf0f-7231-957a-f48cd5a78f9b";

/** Rewrites rows in place as they come from PostgreSQL: each behind a header of five bytes. */
function rewritten(rows: readonly string[]): string {
  const bytes = Buffer.from(rows.map((row) => `?????${row}`).join(""));
  let to = 0;
  let at = 0;
  for (const row of rows) {
    const start = at + 5;
    at = start + Buffer.byteLength(row);
    to = rewriteExportRow(bytes, start, at, to);
    expect(to).toBeLessThanOrEqual(at);
  }
  return bytes.toString("utf8", 0, to);
}

describe("a row of the export", () => {
  it.each([
    ["", ""],
    ["2026-01-05 10:00:00+00", "2026-01-05T10:00:00.000Z"],
    ["2026-01-05 10:00:00.1+00", "2026-01-05T10:00:00.100Z"],
    ["2026-01-05 10:00:00.12+00", "2026-01-05T10:00:00.120Z"],
    ["2026-01-05 10:00:00.123+00", "2026-01-05T10:00:00.123Z"],
    ["0001-01-01 00:00:00.1239+00", "0001-01-01T00:00:00.123Z"],
    ["9999-12-31 23:59:59.123999+00", "9999-12-31T23:59:59.123Z"],
  ])("gets %j as %j, wherever it stands", (time, iso) => {
    const created = time === "" ? "2026-01-05 10:00:00+00" : time;
    const createdIso = time === "" ? "2026-01-05T10:00:00.000Z" : iso;
    const row = `"a\nb,",${time},${created},${ID}\n`;
    expect(rewritten([row, row, row])).toBe(`"a\nb,",${iso},${createdIso},${ID}\r\n`.repeat(3));
  });

  it("is refused when a timestamp isn't what it counts on", () => {
    for (const time of ["infinity", "-infinity", "2026-01-05 10:00:00+01", "2026-01-05T10:00:00+00"]) {
      expect(() => rewritten([`a,${time},2026-01-05 10:00:00+00,${ID}\n`])).toThrow("timestamp");
    }
  });

  it("keeps everything before its last three cells, for rows of any length one behind the other", () => {
    const time = fc
      .record({ seconds: fc.integer({ min: 0, max: 59 }), fraction: fc.stringMatching(/^[0-9]{0,5}[1-9]$/) })
      .map(({ seconds, fraction }) => {
        const whole = `2026-01-05 10:00:${String(seconds).padStart(2, "0")}`;
        return [
          `${whole}.${fraction}+00`,
          `${whole.replace(" ", "T")}.${fraction.padEnd(3, "0").slice(0, 3)}Z`,
        ];
      });
    const whole = fc.constant(["2026-01-05 10:00:00+00", "2026-01-05T10:00:00.000Z"]);
    const row = fc.record({
      head: fc.string({ unit: "grapheme", maxLength: 300 }),
      consented: fc.oneof(fc.constant(["", ""]), whole, time),
      created: fc.oneof(whole, time),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const [from, to] = [0, 1].map((form) =>
          rows.map(({ head, consented, created }) => `${head},${consented[form]},${created[form]},${ID}`),
        );
        expect(rewritten(from!.map((line) => `${line}\n`))).toBe(to!.map((line) => `${line}\r\n`).join(""));
      }),
    );
  });
});
