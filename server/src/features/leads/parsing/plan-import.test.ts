import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../domain-error.ts";
import { planImport, readLeadRow } from "./plan-import.ts";
import { suggestMapping } from "./suggest-mapping.ts";

describe("planImport", () => {
  it.each([
    [
      "canonical headers in any case",
      ["Phone_Number", "FIRST_NAME", "notes"],
      undefined,
      { phone_number: 0, first_name: 1 },
    ],
    ["no alias", ["phone", "email"], undefined, {}],
    ["equal headers that aren't used", ["x", "x", "", "", "phone_number"], undefined, { phone_number: 4 }],
    ["only what the mapping names", ["tel", "first_name"], { phone_number: "tel" }, { phone_number: 0 }],
    ["a mapped header after trimming", ["tel"], { phone_number: " tel " }, { phone_number: 0 }],
    [
      "a mapped canonical name in any case",
      ["Phone_Number"],
      { phone_number: "phone_number" },
      { phone_number: 0 },
    ],
    ["the mapped name as it is written", ["Status", "status"], { status: "Status" }, { status: 0 }],
    ["other mapped names in their own case only", ["Tel"], { phone_number: "tel" }, {}],
    [
      "a mapped header that isn't there",
      ["tel"],
      { phone_number: "tel", status: "state" },
      { phone_number: 0 },
    ],
    ["no header for an empty name", ["", "tel"], { phone_number: "" }, {}],
    [
      "one header for two columns",
      ["name"],
      { first_name: "name", last_name: "name" },
      { first_name: 0, last_name: 0 },
    ],
    ["a header named __proto__", ["__proto__"], { phone_number: "__proto__" }, { phone_number: 0 }],
    ["an empty mapping", ["phone_number"], {}, {}],
  ])("finds %s", (_, headers, mapping, expected) => {
    expect(Object.fromEntries(planImport(headers, mapping).indexByColumn)).toEqual(expected);
  });

  it.each([
    ["a key that isn't a column", { phone: "tel" }],
    ["a key in another case", { Phone_Number: "tel" }],
    ["notes, which isn't a column", { notes: "tel" }],
    ["__proto__", JSON.parse('{"__proto__":"tel"}')],
    ["constructor", { constructor: "tel" }],
    ["a number", { phone_number: 1 }],
    ["null", { phone_number: null }],
    ["an array for a mapping", ["tel"]],
    ["a string for a mapping", "tel"],
    ["null for a mapping", null],
  ])("refuses %s as invalid_request", (_, mapping) => {
    expect(() => planImport(["tel"], mapping)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  it.each([
    ["canonical ones", ["phone_number", "phone_number"], undefined],
    ["canonical ones in different case", ["phone_number", "Phone_Number"], undefined],
    ["optional ones", ["phone_number", "status", "status"], undefined],
    ["mapped ones", ["tel", "tel"], { phone_number: "tel" }],
    ["mapped canonical ones in other cases", ["Status", "STATUS"], { status: "status" }],
  ])("refuses two equal headers among those used: %s", (_, headers, mapping) => {
    expect(() => planImport(headers, mapping)).toThrow(expect.objectContaining({ code: "invalid_csv" }));
  });

  it("takes every suggested mapping, and throws nothing but domain errors", () => {
    const anything = fc.oneof(
      fc.constant(undefined),
      fc.dictionary(fc.string(), fc.anything()),
      fc.anything(),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom("phone", "tel", "Status", "status"))),
        anything,
        (headers, mapping) => {
          const trimmed = [...new Set(headers.map((header) => header.trim()))];
          const suggested = suggestMapping(trimmed).suggested_mapping;
          expect(planImport(trimmed, suggested).indexByColumn.size).toBe(Object.keys(suggested).length);
          try {
            planImport(headers, mapping);
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        },
      ),
    );
  });
});

describe("readLeadRow", () => {
  const plan = planImport(["first_name", "phone_number", "credit_score", "email_address", "consented_at"]);

  it("reads the cells that are there, canonical", () => {
    expect(readLeadRow(plan, ["Ann", "(415) 555-0100", "720", "Ann@Example.com", "01/05/2026"])).toEqual({
      phone: "+14155550100",
      values: {
        first_name: "Ann",
        credit_score: 720,
        email_address: "ann@example.com",
        consented_at: new Date("2026-01-05"),
      },
      warnings: [],
    });
  });

  it("takes an empty cell, a blank one and a missing one as not sent", () => {
    expect(readLeadRow(plan, ["", "4155550100", " "])).toEqual({
      phone: "+14155550100",
      values: {},
      warnings: [],
    });
  });

  it("leaves broken values out, with a warning each", () => {
    expect(readLeadRow(plan, ["Ann", "4155550100", "900", "ann", "soon"])).toMatchObject({
      phone: "+14155550100",
      values: { first_name: "Ann" },
      warnings: [
        { code: "invalid_value:email_address" },
        { code: "invalid_value:credit_score" },
        { code: "invalid_value:consented_at" },
      ],
    });
  });

  it.each([
    [["Ann", ""]],
    [["Ann", "  "]],
    [["Ann"]],
    [["Ann", "12345"]],
    [["Ann", "4155550100x1"]],
    [["Ann", "4155550100\0"]],
  ])("refuses %j", (cells) =>
    expect(readLeadRow(plan, cells)).toEqual({ error: "invalid_or_missing_phone" }),
  );

  it("refuses every row of a file without a phone column", () => {
    const withoutPhone = planImport(["first_name"], { first_name: "first_name", phone_number: "tel" });
    expect(readLeadRow(withoutPhone, ["Ann"])).toEqual({ error: "missing_required:phone_number" });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (cells) => {
        readLeadRow(plan, ["Ann", "4155550100", ...cells]);
        readLeadRow(plan, cells);
      }),
    );
  });
});
