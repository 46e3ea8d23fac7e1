import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseEmail } from "./email-address.ts";

const label63 = "a".repeat(63);
const longDomain = `${label63}.${label63}.${"b".repeat(57)}.com`;

describe("normaliseEmail", () => {
  it.each([
    ["ann@example.com", "ann@example.com"],
    ["  Ann.Lee@Example.COM\t", "ann.lee@example.com"],
    ["ann+tag@example.co.uk", "ann+tag@example.co.uk"],
    ["o'brien@example.com", "o'brien@example.com"],
    ["~te~st~@example.com", "~te~st~@example.com"],
    ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
    ["1@2.io", "1@2.io"],
    ["a@xn--mller-kva.de", "a@xn--mller-kva.de"],
    ['"ann lee"@example.com', '"ann lee"@example.com'],
    ['"ann@home"@example.com', '"ann@home"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [`a@${label63}.com`, `a@${label63}.com`],
  ])("reads %j as %s", (written, address) => {
    expect(normaliseEmail(written)).toBe(address);
  });

  it.each([
    "",
    " ",
    "ann",
    "ann@",
    "@example.com",
    "ann@example",
    "ann@localhost",
    "ann@@example.com",
    "a@b@example.com",
    "ann lee@example.com",
    "ann@exa mple.com",
    "ann@example.com,bob@example.com",
    "Ann <ann@example.com>",
    ".ann@example.com",
    "ann.@example.com",
    "an..n@example.com",
    "ann@.example.com",
    "ann@example.com.",
    "ann@example..com",
    "ann@-example.com",
    "ann@example-.com",
    "ann@exa_mple.com",
    "ann@[127.0.0.1]",
    "ann@127.0.0.1",
    "ann@example.123",
    "mailto:ann@example.com",
    "ann@exam\nple.com",
    "ann\0@example.com",
    "ann@example.com\0",
    "jörg@example.com",
    "ann@müller.de",
    "\u212Aim@example.com",
    '"ann@example.com',
    '"an"n"@example.com',
    '"ann\\"@example.com',
    "ann\ud800@example.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"a".repeat(64)}.com`,
  ])("refuses %j", (written) => {
    expect(normaliseEmail(written)).toBeNull();
  });

  it("takes 254 characters and not 255", () => {
    const local = "a".repeat(254 - longDomain.length - 1);
    expect(normaliseEmail(`${local}@${longDomain}`)).toBe(`${local}@${longDomain}`);
    expect(normaliseEmail(`${local}@${longDomain}m`)).toBeNull();
  });

  it("takes ordinary addresses, and is settled after one reading", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const normal = normaliseEmail(address);
        expect(normal).toBe(address.toLowerCase());
        expect(normaliseEmail(normal as string)).toBe(normal);
      }),
    );
  });

  it("is quick about long nonsense", () => {
    for (const piece of ["a.", "-", '"', "\\", "@", " "])
      expect(normaliseEmail(piece.repeat(1_000_000))).toBeNull();
  });
});
