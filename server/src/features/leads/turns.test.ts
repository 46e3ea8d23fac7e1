import { describe, expect, it } from "vitest";
import { createTurns } from "./turns.ts";

describe("turns", () => {
  it("let so many work at once, the others in the order they came, and go on after a failure", async () => {
    const takeTurn = createTurns(2);
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string, fails = false) =>
      takeTurn(async () => {
        log.push(`begin ${name}`);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (fails) throw new Error(name);
        return name;
      });
    const results = Promise.allSettled([work("a", true), work("b"), work("c"), work("d")]);
    await expect.poll(() => log).toEqual(["begin a", "begin b"]);
    ends[0]!();
    await expect.poll(() => log).toEqual(["begin a", "begin b", "begin c"]);
    ends[1]!();
    ends[2]!();
    await expect.poll(() => log).toContain("begin d");
    ends[3]!();
    expect((await results).map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
  });
});
