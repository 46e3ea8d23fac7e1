import { describe, expect, it } from "vitest";
import type { TranscriptTurn } from "../transcript.ts";
import { createSpeaker } from "./speaker.ts";

describe("a turn of the agent's", () => {
  it("lasts from the first sound of it to the last, however the engine stalls and however late it tells the end", () => {
    const turns: TranscriptTurn[] = [];
    let now = 0;
    const speaker = createSpeaker({
      now: () => now,
      onTurn: (turn) => void turns.push(turn),
      onPlayed: () => undefined,
    });
    const playUntil = (until: number) => {
      for (; now < until; now += 20) speaker.next();
    };
    playUntil(100);
    speaker.text("a", "Hello there.", "model");
    speaker.audio("a", new Int16Array(1_600));
    playUntil(800);
    speaker.audio("a", new Int16Array(1_600));
    playUntil(3_000);
    speaker.spoken("a");
    playUntil(3_100);
    expect(turns).toEqual([
      { role: "agent", source: "model", text: "Hello there.", startMs: 100, endMs: 1_000 },
    ]);
  });
});
