import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttemptResult,
  afterAttempt,
  afterRefusal,
  attemptRules,
  type EndedCall,
  isOurs,
  resultOf,
} from "./lead-states.ts";

const NOW = Date.UTC(2026, 5, 9, 17);
const MINUTE = 60_000;
const retryMinutes = { busy: 30, no_answer: 120, voicemail: 1_440, network_failure: 5 };

const ended = (call: Partial<EndedCall>): EndedCall => ({
  ...{ status: "completed", outcome: "completed", answered: true, answeredBy: "human" },
  ...{ optedOut: false, callbackAt: null },
  ...call,
});
const unanswered = (outcome: string) =>
  ended({ status: outcome, outcome, answered: false, answeredBy: null });

describe("what is made of a call", () => {
  it.each<[string, EndedCall, AttemptResult]>([
    ["a person", ended({}), "person"],
    ["nobody knows who", ended({ answeredBy: "unknown" }), "person"],
    ["a person, and then the line broke", ended({ status: "failed", outcome: "failed" }), "person"],
    ["answered, and not classified before it broke", ended({ answeredBy: null, status: "failed" }), "person"],
    ["a person without a seat", ended({ outcome: "abandoned" }), "person"],
    ["a person who wants to be called later", ended({ callbackAt: NOW }), "callback"],
    [
      "a person who wants that, and then no calls at all",
      ended({ callbackAt: NOW, optedOut: true }),
      "opted_out",
    ],
    ["a machine", ended({ status: "voicemail", outcome: "voicemail", answeredBy: "machine" }), "voicemail"],
    ["busy", unanswered("busy"), "busy"],
    ["nobody", unanswered("no_answer"), "no_answer"],
    ["declined", unanswered("declined"), "no_answer"],
    ["the network", unanswered("failed"), "network_failure"],
    ["a full network", unanswered("congestion"), "network_failure"],
    ["what isn't known", unanswered("strange"), "network_failure"],
    ["a blocked number", unanswered("blocked"), "number_refused"],
    ["no such number", unanswered("invalid_number"), "number_refused"],
    ["an operator's hangup", unanswered("canceled"), "canceled"],
  ])("%s", (_, call, result) => {
    expect(resultOf(call)).toBe(result);
  });
});

describe("where an attempt leaves its lead", () => {
  const after = (
    result: AttemptResult,
    attempts = 0,
    networkFailures = 0,
    callbackAt: number | null = null,
  ) =>
    afterAttempt(
      result,
      { attempts, networkFailures },
      { maxAttempts: 4, retryMinutes },
      { at: NOW, callbackAt },
    );

  it.each<[AttemptResult, number | null, string]>([
    ["busy", 30, "busy"],
    ["no_answer", 120, "no_answer"],
    ["voicemail", 1_440, "voicemail"],
    ["network_failure", 5, "failed"],
    ["person", null, "completed"],
    ["opted_out", null, "do_not_call"],
    ["number_refused", null, "failed"],
    ["canceled", null, "canceled"],
  ])("%s", (result, minutes, leadStatus) => {
    expect(after(result)).toMatchObject(
      minutes === null
        ? { state: "done", nextAt: null, due: null, leadStatus }
        : { state: "waiting", nextAt: NOW + minutes * MINUTE, due: "retry", leadStatus },
    );
  });

  it("retries a network failure once, and anything within one budget", () => {
    expect(after("network_failure", 1, 1)).toMatchObject({ state: "done", networkFailures: 2 });
    expect(after("busy", 2, 2)).toMatchObject({ state: "waiting", attempts: 3 });
    expect(after("busy", 3)).toMatchObject({ state: "done", attempts: 4 });
  });

  it("keeps a callback, whatever the budget", () => {
    const tomorrow = NOW + 1_440 * MINUTE;
    const kept = { state: "waiting", nextAt: tomorrow, due: "callback", leadStatus: "contacted" };
    expect(after("callback", 9, 0, tomorrow)).toMatchObject(kept);
    expect(after("callback", 0, 0, NOW - MINUTE)).toMatchObject({ ...kept, nextAt: NOW });
  });
});

const results = Object.keys(attemptRules) as AttemptResult[];

it("is never dialed after a person answered or refused, nor more often than the budget, whatever happens", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...results.filter((result) => result !== "callback")), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      (history, maxAttempts) => {
        let entry = { state: "waiting", attempts: 0, networkFailures: 0 };
        let at = NOW;
        const dialed: AttemptResult[] = [];
        for (const result of history) {
          if (entry.state !== "waiting") break;
          dialed.push(result);
          const move = afterAttempt(result, entry, { maxAttempts, retryMinutes }, { at, callbackAt: null });
          if (move.nextAt !== null) {
            expect(move.nextAt).toBeGreaterThan(at);
            at = move.nextAt;
          }
          entry = move;
        }
        expect(dialed.length).toBeLessThanOrEqual(maxAttempts);
        expect(entry.attempts).toBe(dialed.length);
        expect(dialed.filter((result) => result === "network_failure").length).toBeLessThanOrEqual(2);
        const last = dialed.slice(0, -1);
        for (const result of ["person", "opted_out", "number_refused", "canceled"] as const)
          expect(last).not.toContain(result);
      },
    ),
  );
});

describe("where a refusal leaves a lead", () => {
  it("waits where waiting helps, and is looked at again where it may", () => {
    expect(afterRefusal({ reason: "outside_window", next_allowed_at: NOW + 5 * MINUTE }, NOW)).toEqual({
      state: "waiting",
      nextAt: NOW + 5 * MINUTE,
    });
    expect(afterRefusal({ reason: "frequency_cap", next_allowed_at: NOW }, NOW).nextAt).toBe(NOW + 1_000);
    expect(afterRefusal({ reason: "attempts_exhausted", next_allowed_at: null }, NOW).state).toBe("done");
    expect(afterRefusal({ reason: "dnc", next_allowed_at: null }, NOW)).toEqual({
      state: "blocked",
      nextAt: NOW + 60 * MINUTE,
    });
    // Nothing of the lead's: the campaign isn't over because of it.
    expect(afterRefusal({ reason: "no_caller_id", next_allowed_at: null }, NOW)).toEqual({
      state: "waiting",
      nextAt: NOW + 15_000,
    });
  });

  it("knows whose lead it is", () => {
    expect([isOurs("new", null), isOurs("pending", "busy"), isOurs("busy", "busy")]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isOurs("busy", null), isOurs("contacted", "busy"), isOurs("do_not_call", "busy")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
