import fc from "fast-check";
import { expect, it } from "vitest";
import { splitIntoWaves } from "./waves.ts";

it("puts the nth row of a phone number into the nth wave", () => {
  const rows = ["a", "b", "a", "c", "a", "b"].map((phone, index) => ({ phone, index }));
  expect(splitIntoWaves(rows).map((wave) => wave.map(({ index }) => index))).toEqual([
    [0, 1, 3],
    [2, 5],
    [4],
  ]);
  expect(splitIntoWaves([])).toEqual([]);
});

it("loses no row, repeats no phone number within a wave, and keeps the order within waves and phone numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c", "__proto__")), (phones) => {
      const rows = phones.map((phone, index) => ({ phone, index }));
      const waves = splitIntoWaves(rows);
      for (const wave of waves) {
        expect(new Set(wave.map(({ phone }) => phone)).size).toBe(wave.length);
        expect(wave.map(({ index }) => index)).toEqual(wave.map(({ index }) => index).sort((a, b) => a - b));
      }
      for (const phone of phones) {
        const ofPhone = (row: (typeof rows)[number]) => row.phone === phone;
        expect(waves.flat().filter(ofPhone)).toEqual(rows.filter(ofPhone));
      }
    }),
  );
});
