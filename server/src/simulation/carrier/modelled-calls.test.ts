import { expect, it } from "vitest";
import type { Person } from "../people/make-people.ts";
import { LONGEST_RING_MS, type ModelledCall, modelCall } from "./modelled-calls.ts";

const person = (index: number): Person => ({
  ...{ index, phoneNumber: "+12125550100", zone: "America/New_York", listed: false, consented: true },
  ...{
    territory: { country: "US", states: ["NY"], zones: ["America/New_York"] },
    reachable: true,
    readiness: 1,
  },
});

function callsAt(hour: number, count = 10_000): ModelledCall[] {
  return Array.from({ length: count }, (_, index) =>
    modelCall({ seed: 1, person: person(index), attempt: 0, hour }),
  );
}

it("is the same for the same person and attempt", () => {
  const ask = (attempt: number) => modelCall({ seed: 1, person: person(3), attempt, hour: 10 });
  expect(ask(0)).toEqual(ask(0));
  expect(
    new Set(Array.from({ length: 20 }, (_, attempt) => JSON.stringify(ask(attempt)))).size,
  ).toBeGreaterThan(3);
});

it("has more people answer in the evening than in the morning, and all kinds of ends", () => {
  const answers = (hour: number) =>
    callsAt(hour).filter((call) => call.answered && call.by === "human").length / 10_000;
  expect(answers(18)).toBeGreaterThan(1.5 * answers(8));
  expect(answers(18)).toBeLessThan(0.2);
  const calls = callsAt(12, 30_000);
  const kinds = new Set(
    calls.map((call) => (call.answered ? (call.by === "human" ? call.wish : "machine") : call.outcome)),
  );
  expect(kinds).toEqual(
    new Set([
      null,
      "never_again",
      "later",
      "machine",
      "busy",
      "no_answer",
      "failed",
      "congestion",
      "blocked",
    ]),
  );
  for (const call of calls) {
    expect(call.ringMs).toBeGreaterThan(0);
    expect(call.ringMs).toBeLessThanOrEqual(LONGEST_RING_MS);
  }
  expect(
    modelCall({ seed: 1, person: { ...person(1), reachable: false }, attempt: 0, hour: 12 }),
  ).toMatchObject({
    outcome: "invalid_number",
  });
});
