import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPlayout } from "./playout.ts";

/** Samples that tell where they are from: 1, 2, 3, … */
function counted(count: number, from = 1): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => (from + index) % 30_000);
}

describe("playout", () => {
  it("is silence while nothing is queued", () => {
    const playout = createPlayout();
    expect(playout.next()).toEqual(new Int16Array(160));
    expect(playout.isEmpty()).toBe(true);
    expect(playout.flush()).toBeNull();
  });

  it("plays utterances whole, in order, without a gap, and says when each was played", () => {
    const played: string[] = [];
    const playout = createPlayout({ onPlayed: (id) => played.push(id) });
    playout.push("a", counted(200));
    playout.end("a");
    playout.push("b", counted(120, 201));
    playout.end("b");
    expect(playout.queuedMs()).toBe(40);
    expect([...playout.next()]).toEqual([...counted(160)]);
    expect([...playout.next()]).toEqual([...counted(160, 161)]);
    expect(played).toEqual([]);
    expect(playout.next()).toEqual(new Int16Array(160));
    expect(played).toEqual(["a", "b"]);
    expect(playout.isEmpty()).toBe(true);
  });

  it("lets the answer to `played` follow without a gap", () => {
    const playout = createPlayout({ onPlayed: (id) => id === "a" && playout.push("b", counted(160, 7)) });
    playout.push("a", counted(160));
    playout.end("a");
    playout.next();
    expect(playout.next()[0]).toBe(7);
  });

  it("waits for a whole frame of an utterance that isn't ended", () => {
    const playout = createPlayout();
    playout.push("a", counted(100));
    expect(playout.next()[0]).toBe(0);
    playout.push("a", counted(100, 101));
    expect([...playout.next()]).toEqual([...counted(160)]);
    playout.end("a");
    expect([...playout.next().subarray(0, 41)]).toEqual([...counted(40, 161), 0]);
  });

  it("says how much of an interrupted utterance was played, and ignores what still comes of it", () => {
    const played: string[] = [];
    const playout = createPlayout({ onPlayed: (id) => played.push(id) });
    playout.push("a", counted(1_600));
    playout.push("b", counted(1_600));
    for (let frame = 0; frame < 3; frame++) playout.next();
    expect(playout.flush()).toEqual({ utteranceId: "a", playedMs: 60, unplayed: ["b"] });
    playout.push("a", counted(160));
    playout.end("a");
    playout.push("b", counted(160));
    expect(playout.next()).toEqual(new Int16Array(160));
    expect(playout.isEmpty()).toBe(true);
    playout.push("c", counted(160));
    expect(playout.next()[0]).toBe(1);
    expect(played).toEqual([]);
  });

  it("counts an utterance as played when the flush comes after its last frame", () => {
    const played: string[] = [];
    const playout = createPlayout({ onPlayed: (id) => played.push(id) });
    playout.push("a", counted(160));
    playout.end("a");
    playout.next();
    expect(playout.flush()).toBeNull();
    expect(played).toEqual(["a"]);
  });

  it("doesn't wait for ever for the end of an utterance", () => {
    const playout = createPlayout();
    playout.push("a", counted(100));
    playout.push("b", counted(160, 500));
    playout.end("b");
    const heard: number[] = [];
    for (let frame = 0; frame < 60; frame++) heard.push(...playout.next());
    expect(heard.filter((sample) => sample !== 0)).toEqual([...counted(100), ...counted(160, 500)]);
  });

  it("takes ten minutes at once, and refuses what is more than its bound", () => {
    const refusals: number[] = [];
    const playout = createPlayout({ onRefused: (ms) => refusals.push(ms) });
    playout.push("a", new Int16Array(600 * 8_000).fill(5));
    expect(refusals).toEqual([]);
    for (let minute = 0; minute < 5; minute++) playout.push("a", new Int16Array(60 * 8_000).fill(5));
    expect(playout.queuedMs()).toBe(12 * 60_000);
    expect(playout.refusedMs()).toBe(3 * 60_000);
    expect(refusals).toEqual([60_000, 60_000, 60_000]);
    expect(playout.next()[159]).toBe(5);
  });

  it("hands out what it was given, however it was cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            pieces: fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 5 }),
            pulls: fc.nat(3),
          }),
          { maxLength: 6 },
        ),
        (utterances) => {
          const played: string[] = [];
          const playout = createPlayout({ onPlayed: (id) => played.push(id) });
          const given: number[] = [];
          const got: number[] = [];
          const pull = () => got.push(...playout.next().filter((sample) => sample !== 0));
          utterances.forEach(({ pieces, pulls }, index) => {
            for (const piece of pieces) {
              const samples = counted(piece, 1 + (given.length % 29_000)).map((sample) => sample || 1);
              given.push(...samples);
              playout.push(`u${index}`, samples);
              for (let count = 0; count < pulls; count++) pull();
            }
            playout.end(`u${index}`);
          });
          while (!playout.isEmpty()) pull();
          expect(got).toEqual(given);
          expect(played).toEqual(utterances.map((_, index) => `u${index}`));
        },
      ),
      { numRuns: 60 },
    );
  });
});
