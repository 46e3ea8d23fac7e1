import { expect, it } from "vitest";
import { chanceFrom } from "./seeded-random.ts";

it("repeats itself for a seed, and differs between seeds", () => {
  const draw = (...seeds: (number | string)[]) => {
    const chance = chanceFrom(...seeds);
    return Array.from({ length: 5 }, () => chance.next());
  };
  expect(draw(1, "people", 7)).toEqual(draw(1, "people", 7));
  const firsts = Array.from({ length: 1_000 }, (_, index) => draw(1, index)[0]);
  expect(new Set([...firsts, draw(2, 0)[0], draw("1", 0)[0]]).size).toBe(1_002);
});

it("spreads evenly, also over neighbouring seeds", () => {
  const tenths = new Array<number>(10).fill(0);
  for (let seed = 0; seed < 10_000; seed++) tenths[chanceFrom(5, seed, 0).between(0, 9)]!++;
  for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  const chance = chanceFrom(3);
  const logs = Array.from({ length: 10_000 }, () => chance.logNormal(10, 0.5)).sort((a, b) => a - b);
  expect(logs[5_000]).toBeGreaterThan(9.5);
  expect(logs[5_000]).toBeLessThan(10.5);
});
