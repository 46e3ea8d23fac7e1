import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { type RoundResult, startWorker } from "./worker.ts";

function watched(results: (RoundResult | Error)[] = []) {
  const clock = manualClock(0);
  const rounds = new EventEmitter();
  let count = 0;
  const errors: unknown[] = [];
  const worker = startWorker({
    clock,
    intervalMs: 15_000,
    async round() {
      count++;
      rounds.emit("round");
      const result = results.shift() ?? {};
      if (result instanceof Error) throw result;
      return result;
    },
    onError: (error) => errors.push(error),
  });
  const nextRound = () => once(rounds, "round");
  /** Lets the loop reach its sleep. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  return { clock, worker, errors, nextRound, settle, count: () => count };
}

describe("startWorker", () => {
  it("begins at once, then at the interval, then when something comes due", async () => {
    const { clock, worker, settle, count } = watched([{}, { nextAt: 20_000 }]);
    await settle();
    expect(count()).toBe(1);
    clock.advance(14_999);
    await settle();
    expect(count()).toBe(1);
    clock.advance(1);
    await settle();
    expect(count()).toBe(2);
    clock.advance(4_999);
    await settle();
    expect(count()).toBe(2);
    clock.advance(1);
    await settle();
    expect(count()).toBe(3);
    await worker.stop();
    expect(clock.pending()).toBe(0);
  });

  it("runs on while there is more, and when woken during a round", async () => {
    const { worker, settle, count } = watched([{ again: true }, { again: true }, {}]);
    await settle();
    expect(count()).toBe(3);
    worker.wake();
    worker.wake();
    await settle();
    expect(count()).toBe(4);
    await worker.stop();
    worker.wake();
    await settle();
    expect(count()).toBe(4);
  });

  it("reports a round that fails and goes on", async () => {
    const { worker, errors, nextRound, settle } = watched([new Error("away")]);
    await settle();
    expect(errors).toHaveLength(1);
    await nextRound();
    await worker.stop();
  });
});
