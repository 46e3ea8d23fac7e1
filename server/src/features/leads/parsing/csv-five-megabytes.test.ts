import { describe, expect, it } from "vitest";
import { MAX_CSV_BYTES, openCsv } from "./csv.ts";

describe("openCsv, on 5,000,000 bytes of trouble", () => {
  const size = MAX_CSV_BYTES;
  it.each([
    ["line breaks", "\n".repeat(size), "invalid_csv"],
    ["commas", ",".repeat(size), "invalid_csv"],
    ["quotes, an even number", '"'.repeat(size), 0],
    ["quotes, an odd number", '"'.repeat(size - 1), "invalid_csv"],
    ["columns", "a,".repeat(size / 2), "invalid_csv"],
    ["one row of commas", `a,b\n${",".repeat(size - 5)}x`, 1],
    ["one cell", `a\n${"x".repeat(size - 2)}`, 1],
    ["one quoted cell", `a\n"${"x".repeat(size - 4)}"`, 1],
    ["one cell of escaped quotes", `a\n"${'""'.repeat((size - 4) / 2)}"`, 1],
    ["one cell of quoted line breaks", `a\n"${"\n".repeat(size - 5)}x"`, 1],
    ["rows of one letter", "a\n".repeat(size / 2), size / 2 - 1],
    ["quoted cells with text behind them", `a\n${'"b"c,'.repeat(size / 5 - 1)}`, 1],
    ["wide spaces", "\u3000".repeat(size / 3), "invalid_csv"],
  ])("copes with %s, and lets others run meanwhile", async (_, csv, outcome) => {
    let turns = 0;
    let counter = setImmediate(function count() {
      turns++;
      counter = setImmediate(count);
    });
    try {
      const reading = (async () => {
        let rows = 0;
        for await (const batch of (await openCsv(csv)).rowBatches()) rows += batch.length;
        return rows;
      })();
      if (typeof outcome === "number") expect(await reading).toBe(outcome);
      else await expect(reading).rejects.toMatchObject({ code: outcome });
    } finally {
      clearImmediate(counter);
    }
    expect(turns).toBeGreaterThan(0);
  });
});
