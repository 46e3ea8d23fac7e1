import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTerritories } from "./area-codes.ts";
import { knownStates, placeOfNumber } from "./place-of-number.ts";
import { zonesByPrefix } from "./zones-by-prefix.ts";

describe("the territories of area codes", () => {
  const territories = readTerritories();
  const codes = territories.flatMap((territory) => territory.codes);

  it("name every code once, and every code that has zones", () => {
    expect(new Set(codes).size).toBe(codes.length);
    const zoned = [...zonesByPrefix.matchAll(/ 1(\d{3})\b/g)].map(([, code]) => code);
    expect(zoned.length).toBeGreaterThan(430);
    expect(zoned.filter((code) => !codes.includes(code!))).toEqual([]);
  });

  it("have a zone each, and one set of zones for all codes that share them", () => {
    for (const { codes: shared } of territories) {
      const zones = shared.map((code) => [...placeOfNumber(`+1${code}5550100`).timezones].sort());
      expect(zones[0]!.length, shared.join()).toBeGreaterThan(0);
      for (const other of zones) expect(other, shared.join()).toEqual(zones[0]);
    }
  });

  it("are in every state and province", () => {
    const states = new Set(knownStates());
    expect([...states].filter((state) => state.startsWith("US-"))).toHaveLength(50 + 1 + 5);
    expect([...states].filter((state) => state.startsWith("CA-"))).toHaveLength(13);
  });
});

describe("the place of a number", () => {
  it.each([
    ["+13055550100", "US", ["FL"]],
    ["+12025550100", "US", ["DC"]],
    ["+17875550100", "US", ["PR"]],
    ["+16045550100", "CA", ["BC"]],
    ["+18675550100", "CA", ["NT", "NU", "YT"]],
    ["+18765550100", "other", []],
    ["+442079460000", "other", []],
  ])("of %s is %s %j", (number, country, states) => {
    expect(placeOfNumber(number)).toMatchObject({ country, states });
    expect(placeOfNumber(number).timezones).not.toEqual([]);
  });

  it.each(["800", "833", "844", "855", "866", "877", "888", "900", "999", "500"])(
    "of +1 %s has no zone",
    (code) => {
      expect(placeOfNumber(`+1${code}5550100`)).toEqual({ country: "US", states: [], timezones: [] });
    },
  );

  it("of any text is one", () => {
    expect(placeOfNumber("+1415").timezones).toEqual([]);
    expect(placeOfNumber("4155550100").timezones).toEqual([]);
    fc.assert(fc.property(fc.string(), (text) => placeOfNumber(text).timezones.length >= 0));
  });
});
