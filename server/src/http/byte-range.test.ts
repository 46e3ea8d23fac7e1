import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { readByteRange } from "./byte-range.ts";

describe("a Range header", () => {
  it.each([
    ["bytes=0-0", { first: 0, last: 0 }],
    ["bytes=0-", { first: 0, last: 99 }],
    ["bytes=10-19", { first: 10, last: 19 }],
    ["Bytes= 10-19 ", { first: 10, last: 19 }],
    ["bytes=99-", { first: 99, last: 99 }],
    ["bytes=50-1000", { first: 50, last: 99 }],
    ["bytes=-1", { first: 99, last: 99 }],
    ["bytes=-30", { first: 70, last: 99 }],
    ["bytes=-1000", { first: 0, last: 99 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=100-200", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    [undefined, null],
    ["", null],
    ["bytes=", null],
    ["bytes=-", null],
    ["bytes=20-10", null],
    ["bytes=a-b", null],
    ["bytes=0-9,20-29", null],
    ["items=0-9", null],
    ["bytes=99999999999999999999-", null],
  ])("%j of 100 bytes", (header, expected) => {
    expect(readByteRange(header, 100)).toEqual(expected);
  });

  it("of nothing can't be satisfied", () => {
    expect(readByteRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(readByteRange("bytes=-5", 0)).toBe("unsatisfiable");
  });

  it("always lies within the whole", () => {
    assert(
      property(
        integer({ min: 0, max: 50 }),
        integer({ min: 0, max: 50 }),
        integer({ min: 1, max: 40 }),
        (from, to, size) => {
          const range = readByteRange(`bytes=${from}-${to}`, size);
          if (range === null) expect(to).toBeLessThan(from);
          else if (range === "unsatisfiable") expect(from).toBeGreaterThanOrEqual(size);
          else {
            expect(range.first).toBe(from);
            expect(range.last).toBe(Math.min(to, size - 1));
          }
        },
      ),
    );
  });
});
