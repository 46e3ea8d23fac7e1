import { describe, expect, it } from "vitest";
import { idsFrom, isUuid } from "./ids.ts";
import { manualClock } from "./testing/manual-clock.ts";

describe("ids", () => {
  it("sort by creation within a millisecond and when the clock was set back", () => {
    let now = Date.UTC(2026, 0, 5);
    const newId = idsFrom({ ...manualClock(), now: () => now });
    const ids = Array.from({ length: 10_000 }, newId);
    now += 1;
    ids.push(newId());
    now -= 60_000;
    ids.push(newId(), newId());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("carry the clock's time, version 7 and the variant", () => {
    const newId = idsFrom(manualClock(0x0123456789ab));
    expect(newId()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(newId())).toBe(true);
  });
});
