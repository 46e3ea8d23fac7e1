import { describe, expect, it } from "vitest";
import { createResponseQueue, type ResponseRequest } from "./response-queue.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Responses that end when the test says so, or when they are given up. */
function queueOf() {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const failures: unknown[] = [];
  const name = (request: ResponseRequest) => ("text" in request ? request.text : request.kind);
  const queue = createResponseQueue(
    (request, signal) => {
      log.push(`${name(request)}${request.kind === "answer" && request.always ? "!" : ""}`);
      return new Promise((resolve, reject) => {
        ends.push(resolve);
        signal.addEventListener("abort", () => {
          log.push(`${name(request)} given up`);
          reject(new Error("given up"));
        });
      });
    },
    (error) => void failures.push(error),
  );
  return { queue, log, ends, failures };
}

describe("the queue of responses", () => {
  it("makes one at a time, in order, and an answer only once", async () => {
    const { queue, log, ends } = queueOf();
    queue.push({ kind: "greeting", text: "hello" });
    await settle();
    queue.push({ kind: "answer", always: false });
    queue.push({ kind: "sentence", text: "by the way", utteranceId: "s" });
    queue.push({ kind: "answer", always: true });
    await settle();
    expect(log).toEqual(["hello"]);
    for (const count of [2, 3]) {
      ends.at(-1)!();
      await settle();
      expect(log).toHaveLength(count);
    }
    expect(log).toEqual(["hello", "answer!", "by the way"]);
    expect(queue.busy).toBe(true);
    ends.at(-1)!();
    await settle();
    expect(queue.busy).toBe(false);
  });

  it("drops answers for a person who speaks, and keeps what was promised", async () => {
    const { queue, log, ends, failures } = queueOf();
    expect(queue.stop()).toBe(false);
    queue.push({ kind: "answer", always: true });
    await settle();
    queue.push({ kind: "direction", text: "ask" });
    queue.push({ kind: "sentence", text: "goodbye", utteranceId: "s" });
    expect(queue.stop()).toBe(true);
    await settle();
    expect(log).toEqual(["answer!", "answer given up", "goodbye"]);
    expect(queue.stop()).toBe(false);
    queue.push({ kind: "answer", always: true });
    queue.abortCurrent();
    await settle();
    expect(log.slice(3)).toEqual(["goodbye given up", "answer!"]);
    ends.at(-1)!();
    await settle();
    expect(failures).toEqual([]);
  });

  it("ends with the first that can't be made, or when it is closed", async () => {
    const failures: unknown[] = [];
    let runs = 0;
    const failing = createResponseQueue(
      async () => {
        runs++;
        throw new Error("no");
      },
      (error) => void failures.push(error),
    );
    failing.push({ kind: "direction", text: "one" });
    failing.push({ kind: "direction", text: "two" });
    await settle();
    expect([runs, failures.length, failing.busy]).toEqual([1, 1, false]);
    const { queue, log, failures: none } = queueOf();
    queue.push({ kind: "direction", text: "one" });
    await settle();
    queue.close();
    queue.push({ kind: "direction", text: "two" });
    await settle();
    expect(log).toEqual(["one", "one given up"]);
    expect(none).toEqual([]);
  });
});
