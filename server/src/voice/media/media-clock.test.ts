import { describe, expect, it } from "vitest";
import { createMediaClock, type MediaClockOptions } from "./media-clock.ts";

/** Time that passes when it is told to, and one timer. */
function manualTime() {
  let time = 1_000;
  let pending: { run: () => void; at: number } | null = null;
  return {
    options: {
      now: () => time,
      schedule(run, delayMs) {
        const timer = { run, at: time + Math.ceil(delayMs) };
        pending = timer;
        return () => {
          if (pending === timer) pending = null;
        };
      },
    } satisfies MediaClockOptions,
    hasTimer: () => pending !== null,
    /** Runs what is due on the way, each at its time. */
    pass(ms: number) {
      const until = time + ms;
      while (pending && pending.at <= until) {
        const { run, at } = pending;
        pending = null;
        time = Math.max(time, at);
        run();
      }
      time = until;
    },
    /** The process does something else for that long. */
    stall(ms: number) {
      time += ms;
    },
    time: () => time,
  };
}

describe("media clock", () => {
  it("ticks every call once in 20 ms, and numbers the periods", () => {
    const time = manualTime();
    const clock = createMediaClock(time.options);
    const ticks = Array.from({ length: 7 }, () => [] as { frameIndex: number; at: number }[]);
    for (const own of ticks) clock.add((frameIndex) => own.push({ frameIndex, at: time.time() }));
    time.pass(1_000);
    for (const own of ticks) {
      expect(own.map(({ frameIndex }) => frameIndex)).toEqual(
        Array.from({ length: 50 }, (_, index) => index),
      );
      expect(new Set(own.slice(1).map(({ at }, index) => at - own[index]!.at))).toEqual(new Set([20]));
    }
    // A few calls wake the process once in a period.
    expect(new Set(ticks.map((own) => own.at(-1)!.at)).size).toBe(1);
  });

  it("deals out many calls over the period, so that they don't tick in one burst", () => {
    const time = manualTime();
    const clock = createMediaClock(time.options);
    const moments: number[] = [];
    for (let call = 0; call < 280; call++) clock.add(() => moments.push(time.time()));
    time.pass(100);
    const last = moments.filter((at) => at > time.time() - 20);
    const bursts = [...new Set(last)].map((moment) => last.filter((at) => at === moment).length);
    expect(bursts).toEqual([70, 70, 70, 70]);
  });

  it("makes up for a short stall, and keeps to its schedule", () => {
    const time = manualTime();
    const clock = createMediaClock(time.options);
    const frames: number[] = [];
    clock.add((frameIndex) => frames.push(frameIndex));
    time.pass(100);
    time.stall(63);
    time.pass(837);
    expect(frames).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(clock.stats()).toMatchObject({ ticks: 50, ticksSkipped: 0, ticksFailed: 0 });
    expect(clock.stats().ticksLate).toBeGreaterThan(0);
  });

  it("skips what a long stall left behind, and counts it", () => {
    const time = manualTime();
    const clock = createMediaClock({ ...time.options, maxCatchUpFrames: 3 });
    const frames: number[] = [];
    clock.add((frameIndex) => frames.push(frameIndex));
    time.pass(100);
    const before = frames.length;
    time.stall(2_000);
    time.pass(0);
    expect(frames.length - before).toBeLessThanOrEqual(4);
    time.pass(900);
    expect(frames.at(-1)).toBe(149);
    expect(frames.length + clock.stats().ticksSkipped).toBe(150);
    expect(frames).toEqual([...frames].sort((a, b) => a - b));
  });

  it("keeps ticks that throw away from each other", () => {
    const time = manualTime();
    const errors: unknown[] = [];
    const clock = createMediaClock({ ...time.options, onError: (error) => errors.push(error) });
    let good = 0;
    clock.add(() => {
      throw new Error("mine");
    });
    for (let call = 0; call < 8; call++) clock.add(() => good++);
    time.pass(200);
    expect(good).toBe(80);
    expect(errors).toHaveLength(10);
    expect(clock.stats().ticksFailed).toBe(10);
  });

  it("lets ticks end themselves and others, and begin new ones", () => {
    const time = manualTime();
    const clock = createMediaClock(time.options);
    const seen: string[] = [];
    const ends: (() => void)[] = [];
    ends.push(
      clock.add(() => {
        seen.push("first");
        ends[0]!();
        ends[4]!();
        clock.add(() => seen.push("new"));
      }),
    );
    for (let call = 1; call < 4; call++) ends.push(clock.add(() => undefined));
    ends.push(clock.add(() => seen.push("fifth")));
    time.pass(50);
    expect(seen[0]).toBe("first");
    expect(seen).not.toContain("fifth");
    expect(seen.filter((name) => name === "new").length).toBeGreaterThanOrEqual(1);
    ends[0]!();
  });

  it("has no timer while nobody listens, and doesn't make up for that time", () => {
    const time = manualTime();
    const clock = createMediaClock(time.options);
    expect(time.hasTimer()).toBe(false);
    const end = clock.add(() => undefined);
    time.pass(100);
    end();
    end();
    expect(time.hasTimer()).toBe(false);
    time.pass(10_000);
    const frames: number[] = [];
    clock.add((frameIndex) => frames.push(frameIndex));
    time.pass(100);
    expect(frames).toEqual([0, 1, 2, 3, 4]);
    expect(clock.stats().ticksSkipped).toBe(0);
    clock.close();
    clock.close();
    expect(time.hasTimer()).toBe(false);
    time.pass(100);
    expect(frames).toHaveLength(5);
  });

  it("keeps real time", async () => {
    const clock = createMediaClock();
    const frames: number[] = [];
    const started = performance.now();
    await new Promise<void>((resolve) => {
      clock.add((frameIndex) => {
        frames.push(frameIndex);
        if (frames.length === 10) resolve();
      });
    });
    clock.close();
    expect(performance.now() - started).toBeGreaterThan(175);
  });
});
