import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LEAD_COLUMNS } from "./lead-columns.ts";
import { COLUMN_ALIASES, suggestMapping } from "./suggest-mapping.ts";

/** As the contract lists them. */
const CONTRACT: [column: string, headers: string][] = [
  [
    "phone_number",
    "phone, phone number, phone_number, mobile, mobile phone, cell, cell phone, telephone, tel, number, contact number, primary phone",
  ],
  ["first_name", "first, first name, firstname, given name, fname"],
  ["last_name", "last, last name, lastname, surname, family name, lname"],
  ["email_address", "email, e-mail, email address, mail"],
  ["status", "status, lead status, disposition"],
  ["credit_score", "credit score, fico, fico score, score"],
  ["annual_income", "annual income, income, yearly income, salary"],
  ["consent_source", "consent source, opt in source, lead source, source"],
  ["consented_at", "consented at, consent date, opt_in_date, opt in date, opted in at, consent timestamp"],
];

describe("suggestMapping", () => {
  it.each(CONTRACT.flatMap(([column, headers]) => headers.split(", ").map((header) => [header, column])))(
    "takes %s for %s, however it is written",
    (header, column) => {
      for (const between of [" ", "_", "-", ".", "  "]) {
        const spelled = header.replaceAll(/[ _]/g, between);
        const title = spelled.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
        for (const written of [spelled, spelled.toUpperCase(), title]) {
          expect(suggestMapping([written])).toEqual({
            suggested_mapping: { [column]: written },
            unmapped: [],
            missing_required: column === "phone_number" ? [] : ["phone_number"],
          });
        }
      }
    },
  );

  it("names no alias under two columns", () => {
    const keys = LEAD_COLUMNS.flatMap((column) =>
      COLUMN_ALIASES[column].map((alias) => alias.replaceAll(/[ -]/g, "")),
    );
    // "e-mail" and "email" are one key, twice.
    expect(keys.length - new Set(keys).size).toBe(2);
    for (const column of LEAD_COLUMNS) {
      for (const alias of COLUMN_ALIASES[column])
        expect(Object.keys(suggestMapping([alias]).suggested_mapping)).toEqual([column]);
    }
  });

  it.each([
    ["the canonical name first", ["Phone", "phone_number"], { phone_number: "phone_number" }, ["Phone"]],
    [
      "the canonical name in another case",
      ["Phone", "PHONE_NUMBER"],
      { phone_number: "PHONE_NUMBER" },
      ["Phone"],
    ],
    [
      "as written before another case",
      ["Phone_Number", "phone_number"],
      { phone_number: "phone_number" },
      ["Phone_Number"],
    ],
    ["the better alias", ["cell", "mobile", "phone"], { phone_number: "phone" }, ["cell", "mobile"]],
    ["the header further left", ["E-Mail", "e.mail"], { email_address: "E-Mail" }, ["e.mail"]],
    ["one of two equal ones", ["phone", "phone"], { phone_number: "phone" }, []],
    [
      "camel case",
      ["phoneNumber", "firstName"],
      { first_name: "firstName", phone_number: "phoneNumber" },
      [],
    ],
    [
      "nothing",
      ["Name", "Company", "Notes", "", "__proto__", "constructor", "toString"],
      {},
      ["Name", "Company", "Notes", "", "__proto__", "constructor", "toString"],
    ],
  ])("takes %s", (_, headers, mapping, unmapped) => {
    const suggestion = suggestMapping(headers);
    expect(suggestion.suggested_mapping).toEqual(mapping);
    expect(suggestion.unmapped).toEqual(unmapped);
    expect(suggestion.missing_required).toEqual("phone_number" in mapping ? [] : ["phone_number"]);
  });

  it("accounts for every header once", () => {
    const anyAlias = fc.constantFrom(...Object.values(COLUMN_ALIASES).flat(), ...LEAD_COLUMNS);
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(anyAlias, fc.string({ unit: "binary" }))), (headers) => {
        const { suggested_mapping, unmapped } = suggestMapping(headers);
        expect([...Object.values(suggested_mapping), ...unmapped].sort()).toEqual([...headers].sort());
        expect(Object.keys(suggested_mapping)).toEqual(
          LEAD_COLUMNS.filter((column) => column in suggested_mapping),
        );
      }),
    );
  });
});
