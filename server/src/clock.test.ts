import { describe, expect, it } from "vitest";
import { systemClock } from "./clock.ts";
import { manualClock } from "./testing/manual-clock.ts";

describe("systemClock", () => {
  it("starts where it is told and runs on at normal pace", async () => {
    const clock = systemClock(Date.UTC(2030, 0, 1));
    const before = clock.now();
    const real = performance.now();
    await new Promise<void>((resolve) => clock.schedule(before + 30, resolve));
    const passed = clock.now() - before;
    expect(before).toBeGreaterThanOrEqual(Date.UTC(2030, 0, 1));
    expect(passed).toBeGreaterThanOrEqual(30);
    expect(Math.abs(passed - (performance.now() - real))).toBeLessThan(5);
  });

  it("does not call what was cancelled, nor overflow on a far date", async () => {
    const clock = systemClock();
    let called = false;
    const cancel = clock.schedule(clock.now() + 400 * 86_400_000, () => {
      called = true;
    });
    await new Promise<void>((resolve) => clock.schedule(clock.now() + 10, resolve));
    expect(called).toBe(false);
    cancel();
  });
});

describe("manualClock", () => {
  it("runs what comes due, in order, each at its own time", () => {
    const clock = manualClock(0);
    const seen: [string, number][] = [];
    clock.schedule(20, () => seen.push(["second", clock.now()]));
    clock.schedule(10, () => {
      seen.push(["first", clock.now()]);
      clock.schedule(15, () => seen.push(["added", clock.now()]));
    });
    clock.advance(30);
    expect(seen).toEqual([
      ["first", 10],
      ["added", 15],
      ["second", 20],
    ]);
    expect(clock.pending()).toBe(0);
    expect(clock.now()).toBe(30);
  });
});
