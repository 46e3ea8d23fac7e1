import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readOptOut } from "./index.ts";
import { heldOutSet } from "./testing/held-out-set.ts";
import { spentSet } from "./testing/spent-set.ts";
import { tuningSet } from "./testing/tuning-set.ts";
import type { Utterance } from "./testing/utterance.ts";

const told = (text: string, channel: "call" | "text" = "call") =>
  readOptOut(text, { channel, speaker: "user" }).opt_out;

describe("reading an opt-out", () => {
  it.each([...tuningSet, ...spentSet])("$channel, $speaker, $isOptOut: $text", (utterance) => {
    const { text, channel, speaker, isOptOut } = utterance;
    const reading = readOptOut(text, { channel, speaker });
    expect(reading.opt_out).toBe(isOptOut);
    expect(reading.matched === null).toBe(!isOptOut);
  });

  it("does nearly as well on words that it wasn't made for", () => {
    const isTold = ({ text, channel, speaker }: Utterance) => readOptOut(text, { channel, speaker }).opt_out;
    const right = heldOutSet.filter((utterance) => utterance.isOptOut && isTold(utterance)).length;
    expect(right / heldOutSet.filter(isTold).length).toBeGreaterThanOrEqual(0.95);
    expect(right / heldOutSet.filter(({ isOptOut }) => isOptOut).length).toBeGreaterThanOrEqual(0.85);
  });

  it("has sets of which half are no opt-outs", () => {
    for (const set of [tuningSet, heldOutSet]) {
      const part = set.filter(({ isOptOut }) => isOptOut).length / set.length;
      expect(part).toBeGreaterThan(0.45);
      expect(part).toBeLessThan(0.55);
    }
    expect(tuningSet.length).toBeGreaterThanOrEqual(150);
    expect(heldOutSet.length).toBeGreaterThanOrEqual(60);
  });

  it("says by which words it was told", () => {
    const read = (text: string) => readOptOut(text, { channel: "call", speaker: "user" }).matched;
    expect(read("Hello? Please take me off your list!")).toBe("take me off your list");
    expect(read("STOP!")).toBe("stop");
    expect(read("Good morning.")).toBeNull();
  });

  it.each([
    "No me envíe más mensajes.",
    "No llamar más.",
    "ya no manden más, por favor",
    "No envien mas mensajes a este numero",
  ])("reads who wants to hear nothing more: %s", (text) => expect(told(text, "text")).toBe(true));
  it.each(["No me envíe más de uno.", "no envíe más flores"])("reads what is to be sent: %s", (text) =>
    expect(told(text, "text")).toBe(false),
  );

  it("reads keywords alone by the channel", () => {
    for (const keyword of ["cancel", "end", "quit"]) {
      expect(told(keyword, "text")).toBe(true);
      expect(told(keyword, "call")).toBe(false);
    }
    expect(told("stop", "call")).toBe(true);
  });

  it("tells an opt-out however it is written", () => {
    for (const keyword of [
      "stop",
      "unsubscribe",
      "revoke",
      "opt out",
      "remove",
      "arrêt",
      "don't text me again",
    ]) {
      fc.assert(
        fc.property(
          fc.array(fc.boolean(), { minLength: keyword.length, maxLength: keyword.length }),
          fc.constantFrom("", " ", "\n", "!", "...", " 🙂", "\u200b", "\ufe0f", " please", "”"),
          (upper, tail) => {
            const written = [...keyword]
              .map((letter, at) => (upper[at] ? letter.toUpperCase() : letter))
              .join("");
            expect(told(written + tail, "text"), written + tail).toBe(true);
            expect(told(written.normalize("NFD").replaceAll("'", "’") + tail, "text")).toBe(true);
          },
        ),
        { numRuns: 30 },
      );
    }
  });

  it("never throws, and never takes a machine or the agent for a person", () => {
    const words = fc.constantFrom(
      "stop ",
      "don't ",
      "call ",
      "me ",
      "never ",
      "list",
      ", ",
      ".",
      "é",
      "\u0000",
      "\ud800",
      "🙂",
      "no me ",
    );
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(words).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyText, fc.constantFrom("call", "text"), (text, channel) => {
        const reading = readOptOut(text, { channel, speaker: "user" });
        expect(reading.matched === null).toBe(!reading.opt_out);
        expect(readOptOut(text, { channel, speaker: "machine" }).opt_out).toBe(false);
        expect(readOptOut(text, { channel, speaker: "agent" }).opt_out).toBe(false);
      }),
    );
  });

  it("takes time that grows with the length only, whatever is repeated", () => {
    const pieces = [
      "stop ",
      "don't never ",
      "no me ",
      "take me from my ",
      "i want to be ",
      ", ",
      "a",
      " ",
      "'",
      "um ",
      "\u0301",
      "if you ",
      "dejen de ",
      "-",
      "call me my ",
      "🙂",
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      const before = process.cpuUsage();
      told(text, "text");
      const { user } = process.cpuUsage(before);
      expect(user / 1000, JSON.stringify(piece)).toBeLessThan(2_000);
    }
  });

  it("finds an opt-out at the end of a long text without a full stop", () => {
    expect(told(`${"and then we went on and on ".repeat(4_000)} so never call me again`)).toBe(true);
  });
});
