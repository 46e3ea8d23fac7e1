import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSpokenCache } from "./spoken-cache.ts";

const audio = (bytes: number) => async () => new Int16Array(bytes / 2);
const never = () => Promise.reject(new Error("it should have been kept"));

describe("the cache of spoken texts", () => {
  it("keeps what was used last", async () => {
    const cache = createSpokenCache(4_000);
    for (const key of ["a", "b", "c"]) await cache.get(key, audio(996));
    await cache.get("a", never);
    await cache.get("d", audio(996));
    await cache.get("e", audio(996));
    for (const key of ["a", "c", "d", "e"]) await cache.get(key, never);
    await expect(cache.get("b", never)).rejects.toThrow("should have been kept");
  });

  it("asks once when two ask at once, and forgets a failure", async () => {
    const cache = createSpokenCache(10_000);
    let asked = 0;
    const failing = async () => {
      asked++;
      throw new Error("broken");
    };
    const both = await Promise.allSettled([cache.get("a", failing), cache.get("a", failing)]);
    expect(both.map((one) => one.status)).toEqual(["rejected", "rejected"]);
    expect(asked).toBe(1);
    await cache.get("a", audio(10));
    await cache.get("a", never);
  });

  it("never holds more than it may", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.nat(20).map(String), bytes: fc.nat(400).map((half) => 2 * half) })),
        async (requests) => {
          const cache = createSpokenCache(2_000);
          for (const { key, bytes } of requests) {
            await cache.get(key, audio(bytes));
            expect(cache.bytes).toBeLessThanOrEqual(2_000);
            expect(cache.bytes).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});
