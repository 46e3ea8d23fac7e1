import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME_SAMPLES } from "../../media/media-leg.ts";
import { createBurstBuffer } from "./burst-buffer.ts";

const level = (value: number, samples = FRAME_SAMPLES) => new Int16Array(samples).fill(value);

describe("audio that comes in bursts", () => {
  it("is nothing until 40 ms of it are there, and then goes on in order", () => {
    const buffer = createBurstBuffer();
    expect(buffer.pull()).toBeNull();
    buffer.push(level(1));
    expect(buffer.pull()).toBeNull();
    buffer.push(level(2));
    expect([buffer.pull()?.samples[80], buffer.pull()?.samples[80]]).toEqual([1, 2]);
  });

  it("may come in pieces of any length", () => {
    const buffer = createBurstBuffer();
    for (let at = 0; at < 640; at += 64) buffer.push(Int16Array.from({ length: 64 }, (_, i) => at + i));
    expect(buffer.stats().waitingMs).toBe(80);
    expect([...buffer.pull()!.samples]).toEqual([...Int16Array.from({ length: 160 }, (_, i) => i)]);
  });

  it("is made up for 200 ms when it stops, then there is none; what was late is heard all the same", () => {
    const buffer = createBurstBuffer();
    for (let at = 0; at < 2; at++) buffer.push(level(1_000));
    const before = [buffer.pull(), buffer.pull()].map((frame) => frame?.concealed);
    const during = Array.from({ length: 12 }, () => buffer.pull()?.concealed ?? null);
    expect(before).toEqual([false, false]);
    expect(during).toEqual([...Array.from({ length: 10 }, () => true), null, null]);
    expect(buffer.stats().framesConcealed).toBe(10);
    for (let at = 0; at < 12; at++) buffer.push(level(2_000));
    expect(buffer.pull()?.samples[150]).toBe(2_000);
    expect(buffer.stats().framesDropped).toBe(0);
  });

  it("catches up with what waits needlessly, a frame at a time, and keeps a cushion", () => {
    const buffer = createBurstBuffer();
    for (let at = 0; at < 20; at++) buffer.push(level(500));
    for (let tick = 0; tick < 300; tick++) {
      buffer.push(level(500));
      expect(buffer.pull()?.concealed).toBe(false);
    }
    expect(buffer.stats().waitingMs).toBeGreaterThanOrEqual(20);
    expect(buffer.stats().waitingMs).toBeLessThanOrEqual(40);
    expect(buffer.stats().framesDropped).toBeGreaterThan(14);
  });

  it("never holds more than a second, and gives up the oldest", () => {
    const buffer = createBurstBuffer();
    for (let at = 1; at <= 60; at++) buffer.push(level(at));
    expect(buffer.stats().waitingMs).toBe(1_000);
    expect(buffer.stats().framesDropped).toBe(10);
    expect(buffer.pull()?.samples[80]).toBe(11);
    buffer.push(level(7, 20_000));
    expect(buffer.stats().waitingMs).toBe(1_000);
    expect(buffer.pull()?.samples[80]).toBe(7);
  });

  it("holds together whatever comes in whatever order", () => {
    assert(
      property(array(integer({ min: -3, max: 1_000 }), { maxLength: 300 }), (steps) => {
        const buffer = createBurstBuffer();
        for (const step of steps) {
          if (step <= 0) expect(buffer.pull()?.samples.length ?? FRAME_SAMPLES).toBe(FRAME_SAMPLES);
          else buffer.push(level(step, step));
          expect(buffer.stats().waitingMs).toBeGreaterThanOrEqual(0);
          expect(buffer.stats().waitingMs).toBeLessThanOrEqual(1_000);
        }
      }),
      { numRuns: 200 },
    );
  });
});
