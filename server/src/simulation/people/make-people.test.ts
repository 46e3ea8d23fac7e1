import { expect, it } from "vitest";
import { placeOfNumber } from "../../numbering/index.ts";
import { makePeople } from "./make-people.ts";

it("makes the same people for a seed, of every kind", () => {
  const people = makePeople({ count: 20_000, seed: 7 });
  expect(makePeople({ count: 20_000, seed: 7 })).toEqual(people);
  expect(makePeople({ count: 5, seed: 8 })).not.toEqual(people.slice(0, 5));
  expect(new Set(people.map(({ phoneNumber }) => phoneNumber)).size).toBe(people.length);

  const states = new Set(people.flatMap(({ territory }) => territory.states));
  // 50, the capital, Puerto Rico, and nine provinces.
  expect(states.size).toBe(61);
  const share = (holds: (person: (typeof people)[number]) => boolean) =>
    people.filter(holds).length / people.length;
  expect(share(({ territory }) => territory.country === "CA")).toBeGreaterThan(0.03);
  expect(share(({ territory }) => territory.country === "other")).toBeGreaterThan(0.005);
  expect(share(({ zone }) => zone === null)).toBeCloseTo(0.02, 2);
  expect(share(({ territory }) => territory.zones.length > 1)).toBeGreaterThan(0.15);
  expect(share(({ zone, territory }) => zone !== null && zone !== territory.zones[0])).toBeGreaterThan(0.03);
  expect(share(({ listed }) => listed)).toBeCloseTo(0.02, 2);
  expect(share(({ consented }) => !consented)).toBeCloseTo(0.04, 2);
});

/** Two tables, made by two hands: where they differ, one of them is wrong. */
it("has them live where the service takes their numbers to be", () => {
  const at = [Date.UTC(2026, 0, 10), Date.UTC(2026, 6, 10)];
  const earliestAndLatest = (zones: readonly string[]) =>
    at.map((instant) => {
      const clocks = zones.map((zone) => {
        const text = new Date(instant).toLocaleString("sv", { timeZone: zone });
        return Date.parse(`${text.replace(" ", "T")}Z`);
      });
      return zones.length === 0 ? null : [Math.min(...clocks), Math.max(...clocks)];
    });
  const seen = new Set<string>();
  for (const { phoneNumber, territory } of makePeople({ count: 20_000, seed: 7 })) {
    const { country, states, zones } = territory;
    const prefix = phoneNumber.slice(0, 5);
    if (seen.has(prefix)) continue;
    seen.add(prefix);
    const place = placeOfNumber(phoneNumber);
    if (zones.length > 0 && country !== "other") {
      expect({ prefix, country: place.country, states: [...place.states].sort() }).toEqual({
        ...{ prefix, country, states: [...states] },
      });
    }
    const [theirs, ours] = [earliestAndLatest(place.timezones), earliestAndLatest(zones)];
    for (const index of [0, 1]) {
      const [mine, other] = [ours[index], theirs[index]];
      if (!mine || !other) {
        expect({ prefix, mine, other }).toEqual({ prefix, mine: null, other: null });
        continue;
      }
      expect(other[0], prefix).toBeLessThanOrEqual(mine[0]!);
      expect(other[1], prefix).toBeGreaterThanOrEqual(mine[1]!);
    }
  }
  expect(seen.size).toBeGreaterThan(250);
});
