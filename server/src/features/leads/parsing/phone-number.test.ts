import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPhoneNumber } from "./phone-number.ts";

const VALID: [written: string, canonical: string][] = [
  ["+14155550100", "+14155550100"],
  ["4155550100", "+14155550100"],
  ["(415) 555-0100", "+14155550100"],
  ["415.555.0100", "+14155550100"],
  ["415/555/0100", "+14155550100"],
  ["415\\555\\0100", "+14155550100"],
  ["[415]_555~0100*", "+14155550100"],
  ["415,555:0100", "+14155550100"],
  ["1 415 555 0100", "+14155550100"],
  ["\t415\n555\r\v\f0100 ", "+14155550100"],
  ["+44 20 7946 0958", "+442079460958"],
  ["442079460958", "+442079460958"],
  // The international prefixes, dropped unless a plus stands before them.
  ["00442079460958", "+442079460958"],
  ["011442079460958", "+442079460958"],
  ["(00) 44 20 7946 0958", "+442079460958"],
  ["0 0 442079460958", "+442079460958"],
  ["00+442079460958", "+442079460958"],
  ["00123456789012345", "+123456789012345"],
  ["011123456789012345", "+123456789012345"],
  ["0014155550100", "+14155550100"],
  ["01114155550100", "+14155550100"],
  ["00 41555501001", "+41555501001"],
  // Ten digits get +1 unless there is a plus, also when a prefix was dropped.
  ["004155550100", "+14155550100"],
  ["011 4155550100", "+14155550100"],
  ["+4155550100", "+4155550100"],
  ["( + ) 4155550100", "+4155550100"],
  ["123456789012345", "+123456789012345"],
  ["+123456789012345", "+123456789012345"],
  // White space of any kind.
  ["\u00a0415\u2009555\u202f0100\u3000", "+14155550100"],
  ["415\u0085555\ufeff0100\u2028\u1680", "+14155550100"],
  // Every dash, every middle dot.
  ["415\u2010555\u20110100", "+14155550100"],
  ["415\u2013555\u20140100", "+14155550100"],
  ["415\u2212555\uff0d0100", "+14155550100"],
  ["415\ufe58555\ufe630100\u30a0\u301c", "+14155550100"],
  ["415\u00b7555\u30fb0100", "+14155550100"],
  ["415\u0387555\uff650100\u2027\u22c5", "+14155550100"],
  // Digits of other scripts.
  ["٤١٥٥٥٥٠١٠٠", "+14155550100"],
  ["४१५ ५५५ ०१००", "+14155550100"],
  ["４１５－５５５－０１００", "+14155550100"],
  ["𝟒𝟏𝟓𝟝𝟝𝟝𝟢𝟷𝟶𝟬", "+14155550100"],
];

const INVALID: unknown[] = [
  "",
  " ",
  "+",
  "415555010",
  "1234567890123456",
  "+1234567890123456",
  "41555501001234567890",
  "0155550100",
  "0415555010",
  "+00442079460958",
  "+0442079460958",
  "+011442079460958",
  "000442079460958",
  "0112345678",
  "0012345678",
  "4155550100x12",
  "4155550100 ext. 12",
  "4155550100 #12",
  "4155550100;ext=12",
  "415-555-CALL",
  "tel:4155550100",
  "4155550100@",
  "4155550100'",
  '"4155550100"',
  "4155550100?",
  "4155550100&",
  "4155550100\0",
  "4155550100\ud800",
  "\udc004155550100",
  "4155550100²",
  "①4155550100",
  "4155550100💥",
  "1.4155550100E+10",
  "＋14155550100",
  "5️⃣4155550100",
  undefined,
  null,
  4155550100,
  4155550100n,
  true,
  ["4155550100"],
  {},
  new String("4155550100"),
];

describe("canonicalPhoneNumber", () => {
  it.each(VALID)("reads %j as %s", (written, canonical) => {
    expect(canonicalPhoneNumber(written)).toBe(canonical);
  });

  it.each(INVALID.map((value) => [inspect(value), value]))("refuses %s", (_, value) => {
    expect(canonicalPhoneNumber(value)).toBeNull();
  });

  it("gives each decimal digit of Unicode the value that Unicode gives it", () => {
    let seen = 0;
    for (let zero = 0x80; zero <= 0x10ffff; zero++) {
      if (zero >= 0xd800 && zero <= 0xdfff) continue;
      const digit = String.fromCodePoint(zero);
      if (!/\p{Nd}/u.test(digit)) continue;
      // NFKD folds the compatibility digits to ASCII; the others come in tens that begin where the test stands.
      for (let value = 0; value < 10; value++) {
        const written = String.fromCodePoint(zero + value);
        expect(canonicalPhoneNumber(`415555010${written}`)).toBe(`+1415555010${value}`);
        const folded = written.normalize("NFKD");
        if (/^[0-9]$/.test(folded)) expect(value).toBe(Number(folded));
      }
      seen += 10;
      zero += 9;
    }
    expect(seen).toBeGreaterThan(600);
  });

  it("drops every Unicode dash", () => {
    const dashes = charactersMatching(/[\p{Dash}\p{Pd}]/u);
    expect(dashes.length).toBeGreaterThan(25);
    for (const dash of dashes) expect(canonicalPhoneNumber(`415${dash}5550100`)).toBe("+14155550100");
  });

  it("drops every Unicode white space", () => {
    const spaces = charactersMatching(/[\p{White_Space}\s]/u);
    expect(spaces.length).toBeGreaterThan(24);
    for (const space of spaces) expect(canonicalPhoneNumber(`415${space}5550100`)).toBe("+14155550100");
  });

  it("drops no other ASCII character", () => {
    const marks = " \t\n\v\f\r+()[]-./\\,:_~*0123456789";
    for (let code = 0; code < 0x80; code++) {
      const mark = String.fromCharCode(code);
      if (!marks.includes(mark)) expect(canonicalPhoneNumber(`415${mark}5550100`)).toBeNull();
    }
  });

  it("is settled after one reading, and is always + with 10 to 15 digits", () => {
    const piece = fc.constantFrom(
      ..."0123456789",
      ..."0123456789",
      "+",
      "00",
      "011",
      " ",
      "-",
      "(",
      "٤",
      "·",
      "x",
    );
    const written = fc.oneof(
      fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join("")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(written, (value) => {
        const canonical = canonicalPhoneNumber(value);
        if (canonical === null) return;
        expect(canonical).toMatch(/^\+[1-9][0-9]{9,14}$/);
        expect(canonicalPhoneNumber(canonical)).toBe(canonical);
      }),
      { numRuns: 5000 },
    );
  });
});

function charactersMatching(pattern: RegExp): string[] {
  const found: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    if (pattern.test(character)) found.push(character);
  }
  return found;
}
