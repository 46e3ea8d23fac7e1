import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBatcher } from "./batcher.ts";

interface Write {
  key: string;
  value: number;
}

/** A store whose batches take a turn of the event loop, and that fails as a database does. */
function store(maxSize = 4) {
  const batches: Write[][] = [];
  const write = createBatcher<Write, number>({
    maxSize,
    keyOf: (item) => item.key,
    async run(items) {
      batches.push([...items]);
      await new Promise(setImmediate);
      if (items.some((item) => item.value < 0)) throw Object.assign(new Error("bad row"), { code: "23502" });
      return items.map((item) => item.value * 2);
    },
  });
  return { batches, write };
}

describe("createBatcher", () => {
  it("answers each with its own result, whatever arrives when", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e"), value: fc.nat() }), {
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 8 }),
        async (writes, maxSize) => {
          const { batches, write } = store(maxSize);
          const results = await Promise.all(writes.map(write));
          expect(results).toEqual(writes.map(({ value }) => value * 2));
          for (const batch of batches) {
            expect(batch.length).toBeLessThanOrEqual(maxSize);
            expect(new Set(batch.map(({ key }) => key)).size).toBe(batch.length);
          }
          // Writes of one key run in the order they were made.
          for (const key of ["a", "b", "c", "d", "e"]) {
            const ofKey = (items: Write[]) =>
              items.filter((item) => item.key === key).map(({ value }) => value);
            expect(ofKey(batches.flat())).toEqual(ofKey(writes));
          }
        },
      ),
    );
  });

  it("writes what waits as one batch", async () => {
    const { batches, write } = store(64);
    await Promise.all(Array.from({ length: 20 }, (_, index) => write({ key: String(index), value: index })));
    expect(batches.map((batch) => batch.length)).toEqual([20]);
  });

  it("lets one bad row fail alone", async () => {
    const { write } = store();
    const results = await Promise.allSettled([1, -1, 3].map((value) => write({ key: String(value), value })));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("runs a batch again after a deadlock, and gives up in the end", async () => {
    let runs = 0;
    const failing = (times: number) =>
      createBatcher<number, string>({
        maxSize: 4,
        keyOf: String,
        async run(items) {
          if (runs++ < times) throw Object.assign(new Error("deadlock"), { code: "40P01" });
          return items.map(() => "written");
        },
      });
    await expect(failing(3)(1)).resolves.toBe("written");
    runs = 0;
    await expect(failing(4)(1)).rejects.toThrow("deadlock");
  });

  it("goes on after a batch that failed as a whole", async () => {
    let fail = true;
    const write = createBatcher<number, number>({
      maxSize: 4,
      keyOf: String,
      async run(items) {
        if (fail) throw new Error("no connection");
        return [...items];
      },
    });
    const lost = await Promise.allSettled([write(1), write(2)]);
    expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    fail = false;
    await expect(write(3)).resolves.toBe(3);
  });
});
