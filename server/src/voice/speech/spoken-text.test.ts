import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spokenParts } from "./spoken-text.ts";

describe("spoken parts", () => {
  it("are sentences", () => {
    expect(spokenParts("Hello, Ana! It costs 3.5 dollars, at 9 a.m. on Friday. Is that all right?")).toEqual([
      "Hello, Ana!",
      "It costs 3.5 dollars, at 9 a.m. on Friday.",
      "Is that all right?",
    ]);
  });

  it("have plain letters and signs", () => {
    expect(spokenParts("It\u2019s Jos\u00e9\u2019s caf\u00e9 \u2014 \u201cStra\u00dfe\u201d")).toEqual([
      `It's Jose's cafe, "Strasse"`,
    ]);
  });

  it("leave out what has nothing to speak", () => {
    for (const text of ["", "  ", "...", "\u65e5\u672c", "\ud83d\ude00", "?! \u2014"])
      expect(spokenParts(text)).toEqual([]);
  });

  it("cut a long sentence at a comma, else at a space, else anywhere", () => {
    const listed = `We have ${"apples, ".repeat(40)}and pears`;
    expect(
      spokenParts(listed)
        .slice(0, -1)
        .every((part) => part.endsWith(",")),
    ).toBe(true);
    expect(spokenParts("word ".repeat(100)).every((part) => /^(word ?)+$/.test(part))).toBe(true);
    expect(spokenParts("a".repeat(1_000)).map((part) => part.length)).toEqual([240, 240, 240, 240, 40]);
  });

  it("keep every letter, in order, in parts that aren't long", () => {
    const letters = (text: string) => text.replace(/[^A-Za-z0-9]/g, "");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aB1 .,;:!?'\"-\n"), maxLength: 1_500 }), (text) => {
        const parts = spokenParts(text);
        expect(letters(parts.join(""))).toBe(letters(text));
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(240);
      }),
    );
  });

  it("are found in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        for (const part of spokenParts(text)) expect(part).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});
