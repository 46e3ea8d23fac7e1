import { describe, expect, it } from "vitest";
import { callingRules } from "./calling-rules.ts";
import { type CallingRule, loadRules } from "./rule-book.ts";

const florida = callingRules.find(({ id }) => id === "fl-hours")!;
const successor = (changes: Partial<CallingRule>): CallingRule => ({ ...florida, version: 2, ...changes });

describe("the rule table", () => {
  it("is one", () => {
    const book = loadRules(callingRules);
    expect([...book.values()].flat()).toHaveLength(callingRules.length);
    expect(callingRules.length).toBeGreaterThan(25);
  });

  it("takes a version that begins when the one before ends", () => {
    const ended = { ...florida, effective_to: "2026-01-01" };
    expect(() => loadRules([ended, successor({ effective_from: "2026-01-01" })])).not.toThrow();
  });

  it.each<[string, CallingRule[], string]>([
    [
      "two at once",
      [florida, successor({})],
      "US-FL has an overlap of fl-hours version 1 and fl-hours version 2",
    ],
    [
      "two for a day",
      [{ ...florida, effective_to: "2026-01-02" }, successor({ effective_from: "2026-01-01" })],
      "US-FL has an overlap",
    ],
    [
      "none for a day",
      [{ ...florida, effective_to: "2026-01-01" }, successor({ effective_from: "2026-01-02" })],
      "US-FL has a gap between fl-hours version 1 and fl-hours version 2",
    ],
    [
      "none on Sundays",
      [{ ...florida, days: ["mon", "tue", "wed", "thu", "fri", "sat"] }],
      "a gap: no rule on sun",
    ],
    [
      "one on Mondays for a shorter time",
      [
        { ...florida, days: ["mon"], effective_to: "2030-01-01" },
        successor({ days: ["tue", "wed", "thu", "fri", "sat", "sun"] }),
      ],
      "a gap: it isn't ruled for as long as sun on mon",
    ],
    ["one row twice", [florida, florida], "fl-hours version 1 is there twice"],
  ])("refuses %s", (_what, rows, message) => {
    expect(() => loadRules(rows)).toThrow(message);
  });

  it.each<[Partial<CallingRule>, string]>([
    [{ jurisdiction: "US-XX" }, "has an unknown jurisdiction, US-XX"],
    [{ jurisdiction: "" }, "has an unknown jurisdiction, "],
    [{ start: "20:00", end: "08:00" }, "has no window, 20:00-08:00"],
    [{ start: "08:00", end: "08:00" }, "has no window"],
    [{ start: "8:00" }, "has no window"],
    [{ end: "24:01" }, "has no window"],
    [{ end: null }, "has half a window"],
    [{ days: [] }, "names no day"],
    [{ days: ["mon", "mon"] }, "names no day, or one twice"],
    [{ days: ["someday" as "mon"] }, "has an unknown day, someday"],
    [{ channel: "smoke" as "voice" }, "has an unknown channel, smoke"],
    [{ cap: 0 }, "has no cap, 0"],
    [{ effective_from: "2026-02-30" }, "holds at no time"],
    [{ effective_to: "1990-01-01" }, "holds at no time"],
    [{ citation: " " }, "has no citation"],
    [{ confidence: "D" as "A" }, "has an unknown confidence, D"],
    [{ version: 0 }, "has no id or version"],
    [{ id: "" }, "has no id or version"],
  ])("refuses a row with %j", (changes, message) => {
    expect(() => loadRules([{ ...florida, ...changes }])).toThrow(message);
  });
});
