import { describe, expect, it } from "vitest";
import { LEAD_COLUMNS, OPTIONAL_COLUMNS, type OptionalColumn, readCell } from "./lead-columns.ts";

const VALID: [column: OptionalColumn, text: string, value: unknown][] = [
  ["first_name", "Ann", "Ann"],
  ["first_name", " Ann ", " Ann "],
  ["first_name", "a".repeat(120), "a".repeat(120)],
  ["last_name", "💥".repeat(120), "💥".repeat(120)],
  ["last_name", "=1+1", "=1+1"],
  ["email_address", " Ann@Example.com ", "ann@example.com"],
  ["status", "s".repeat(64), "s".repeat(64)],
  ["credit_score", "300", 300],
  ["credit_score", " 850 ", 850],
  ["credit_score", "720.0", 720],
  ["annual_income", "0.01", 0.01],
  ["annual_income", "75000", 75000],
  ["annual_income", "1000000000000", 1e12],
  ["annual_income", "1e-7", 1e-7],
  ["consent_source", "web form", "web form"],
  ["consented_at", "2026-01-05", new Date("2026-01-05T00:00:00Z")],
  ["consented_at", " 01/05/2026 ", new Date("2026-01-05T00:00:00Z")],
];
const BROKEN: [column: OptionalColumn, text: string][] = [
  ["first_name", "a".repeat(121)],
  ["first_name", "a".repeat(1_000_000)],
  ["first_name", "A\0nn"],
  ["last_name", "💥".repeat(121)],
  ["last_name", "\ud83d"],
  ["email_address", "ann"],
  ["status", "s".repeat(65)],
  ["consent_source", "s".repeat(65)],
  ...["299", "851", "900", "720.5", "abc", "0x2d0", "-720", "NaN", "7 20", "1e400"].map(
    (text): [OptionalColumn, string] => ["credit_score", text],
  ),
  ...[
    "0",
    "-1",
    "75,000",
    "$75000",
    "75k",
    "Infinity",
    "1e999",
    "1e-999",
    "1000000000000.01",
    "1e13",
    "٧٥",
  ].map((text): [OptionalColumn, string] => ["annual_income", text]),
  ["consented_at", "soon"],
  ["consented_at", "2026-02-30"],
];

describe("readCell", () => {
  it.each(VALID)("reads %s %j as %j", (column, text, value) => {
    expect(readCell(column, text)).toEqual({ value });
  });

  it.each(BROKEN)("warns about %s %.20j", (column, text) => {
    expect(readCell(column, text)).toEqual({
      warning: {
        column,
        code: `invalid_value:${column}`,
        message: expect.stringMatching(`^${column} must `),
      },
    });
  });

  it("reads every column but the phone number", () => {
    expect([...OPTIONAL_COLUMNS].sort()).toEqual(
      LEAD_COLUMNS.filter((name) => name !== "phone_number").sort(),
    );
  });
});
