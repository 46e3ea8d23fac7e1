import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChunkOrder } from "./chunk-order.ts";

/** What is heard when chunks come like this: each holds its own number. */
function heard(chunks: readonly number[]): number[] {
  const order = createChunkOrder();
  return chunks.flatMap((chunk) => order.take(chunk, Uint8Array.of(chunk & 0xff)).map(([value]) => value!));
}

describe("the order of chunks", () => {
  it("is theirs, however they come, where none is late by more than three", () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(lateness, (late) => {
        // The first tells where they begin.
        const arrivals = late.map((by, at) => ({ chunk: at + 1, at: at === 0 ? -1 : at + by }));
        arrivals.sort((one, other) => one.at - other.at || one.chunk - other.chunk);
        expect(heard(arrivals.map(({ chunk }) => chunk))).toEqual(arrivals.map((_, at) => at + 1));
      }),
    );
  });

  it("goes on without one that is lost, and drops it when it comes after all", () => {
    expect(heard([1, 2, 4, 5, 6])).toEqual([1, 2]);
    expect(heard([1, 2, 4, 5, 6, 7, 3, 8])).toEqual([1, 2, 4, 5, 6, 7, 8]);
  });

  it("goes on after a long gap, and begins anywhere", () => {
    expect(heard([7, 8, 100, 101, 102, 103, 104])).toEqual([7, 8, 100, 101, 102, 103, 104]);
  });

  it("hears each once", () => {
    expect(heard([1, 2, 2, 3, 1, 4])).toEqual([1, 2, 3, 4]);
  });

  it("is given up for what isn't numbered, or not as we think", () => {
    expect(heard([Number.NaN, Number.NaN])).toHaveLength(2);
    expect(heard(Array.from({ length: 50 }, () => 5))).toHaveLength(50 - 10);
    expect(heard([200, ...Array.from({ length: 50 }, (_, at) => at + 1)])).toHaveLength(51 - 10);
  });
});
