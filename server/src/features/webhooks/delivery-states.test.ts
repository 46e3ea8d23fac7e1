import { describe, expect, it } from "vitest";
import {
  type DeliveryTrigger,
  delayBeforeAttempt,
  deliveryStates,
  nextAttemptAt,
  nextDeliveryState,
  statesBefore,
} from "./delivery-states.ts";

const triggers: DeliveryTrigger[] = [
  "succeeded",
  "failed",
  "exhausted",
  "target_refused",
  "subscription_gone",
  "replayed",
];

describe("the states of a delivery", () => {
  it("allows what the contract has and refuses everything else", () => {
    const allowed = deliveryStates.flatMap((from) =>
      triggers.flatMap((trigger) => {
        try {
          return [`${from} ${trigger} ${nextDeliveryState(from, trigger)}`];
        } catch {
          return [];
        }
      }),
    );
    const queued = ["pending", "retrying"].flatMap((from) => [
      `${from} succeeded delivered`,
      `${from} failed retrying`,
      `${from} exhausted dead_letter`,
      `${from} target_refused dead_letter`,
      `${from} subscription_gone discarded`,
    ]);
    const finished = ["delivered", "dead_letter", "discarded"].map((from) => `${from} replayed pending`);
    expect(allowed).toEqual([...queued, ...finished]);
  });

  it("leads from every state before a trigger to the same one", () => {
    for (const trigger of triggers) {
      const states = new Set(statesBefore(trigger).map((state) => nextDeliveryState(state, trigger)));
      expect(states.size, trigger).toBe(1);
    }
  });

  it("has the contract's eight attempts", () => {
    const seconds = [0, 30, 60, 300, 1_800, 7_200, 21_600, 43_200];
    expect(delayBeforeAttempt.map((delay) => delay / 1_000)).toEqual(seconds);
    for (let made = 1; made < 8; made++)
      expect(nextAttemptAt(made, 1_000)).toBe(1_000 + seconds[made]! * 1_000);
    expect(nextAttemptAt(8, 1_000)).toBeNull();
  });
});
