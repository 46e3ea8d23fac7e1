import { afterEach, describe, expect, it } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { countingMeter } from "../../../testing/voice/counting-meter.ts";
import { engineTalk } from "../../../testing/voice/engine-talk.ts";
import { fakeEngine } from "../../../testing/voice/fake-engine.ts";
import { fakeSpeech } from "../../../testing/voice/fake-speech.ts";
import { engineContract } from "../engine.contract.ts";
import { EngineUnavailable, type VoiceEngine } from "../engine.ts";
import { createScriptedEngine } from "../scripted/create-scripted-engine.ts";
import { createFallbackEngine } from "./create-fallback-engine.ts";
import { TOOK_OVER } from "./handover.ts";

const meter = countingMeter();
const inOrder = (first: VoiceEngine, ...others: VoiceEngine[]) => {
  const clock = manualClock();
  return { clock, engine: createFallbackEngine({ clock, meter, engines: [first, ...others] }) };
};
const scripted = () => createScriptedEngine({ speech: fakeSpeech() });
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};
afterEach(() => {
  meter.fallbacks.length = 0;
});

/** Fails as soon as it is told anything. */
const failing = () => fakeEngine({ onTold: ({ emit }) => emit({ type: "failed", message: "gone" }) });

for (const [what, first] of [
  ["with the first", scripted],
  [
    "after the first couldn't start",
    () => Object.assign(fakeEngine(), { start: async () => Promise.reject(new Error("no")) }),
  ],
] as const) {
  engineContract(`an order of engines ${what}`, async () => ({
    engine: inOrder(first(), scripted()).engine,
    provokeTool: (session) => session.said("Please never call me again."),
    provokeAnswer(session) {
      session.speechStarted();
      session.said("Who is this?");
      session.speechEnded(900);
    },
    async close() {},
  }));
}

describe("an order of engines", () => {
  it("has the next take over with one sentence, and tells it what was said", async () => {
    const first = fakeEngine();
    const second = fakeEngine({
      onTold: (conversation, { type }) =>
        type === "begin" && conversation.speak(conversation.conversation.greeting, 500, "one"),
    });
    const { engine } = inOrder(first, second);
    const { session, events, said, of } = await engineTalk(engine, { plays: false });
    session.begin();
    const [one] = first.conversations;
    one!.speak("Hello, this is Ada.", 500, "one");
    one!.emit({ type: "heard", text: 'Which "Ada"?', source: "stt" });
    one!.emit({ type: "audio", utteranceId: "two", samples: new Int16Array(800) });
    one!.emit({ type: "failed", message: "gone" });
    await settle();
    one!.emit({ type: "failed", message: "gone twice" });
    one!.speak("I am a ghost.", 500);
    const two = second.conversations[0]!;
    expect(two.conversation.greeting).toBe(TOOK_OVER);
    expect(two.conversation.instructions).toContain(
      '{"you":"Hello, this is Ada."}\n{"person":"Which \\"Ada\\"?"}',
    );
    expect(said()).toEqual(["Hello, this is Ada.", TOOK_OVER]);
    expect(of("spoken").map(({ utteranceId }) => utteranceId)).toEqual(["one", "two", "1:one"]);
    session.interrupted("1:one", 40);
    session.played("one");
    expect(two.tolds("interrupted")).toEqual([{ type: "interrupted", utteranceId: "one", playedMs: 40 }]);
    expect(two.tolds("played")).toEqual([]);
    expect(events.some(({ type }) => type === "failed")).toBe(false);
    expect(meter.fallbacks).toEqual(["fake → fake"]);
  });

  it("greets as if nothing had been when nothing has been said yet", async () => {
    const { engine } = inOrder(failing(), scripted());
    const { session, said } = await engineTalk(engine);
    session.begin();
    await settle();
    expect(said()).toEqual(["Hello there."]);
  });

  it("says what the session asked for, under its id, and nothing else first", async () => {
    const first = fakeEngine({
      onTold: (conversation, { type }) =>
        type === "say" && conversation.emit({ type: "failed", message: "gone" }),
    });
    const { engine } = inOrder(first, scripted());
    const { session, of, said } = await engineTalk(engine);
    session.begin();
    first.conversations[0]!.speak("Hello there.", 100);
    session.say("We won't call again.", "last-words");
    await settle();
    expect(said()).toEqual(["Hello there.", "We won't call again."]);
    expect(of("audio").at(-1)!.utteranceId).toBe("last-words");
  });

  it("fails when the last one does, with its reason", async () => {
    const { engine } = inOrder(failing(), failing());
    const { session, of } = await engineTalk(engine);
    session.begin();
    await settle();
    expect(of("failed")).toEqual([{ type: "failed", message: "gone" }]);
  });

  it("doesn't ask one that couldn't start for a while, unless there is no other", async () => {
    const first = fakeEngine();
    first.failStart("unavailable");
    const second = fakeEngine();
    const { clock, engine } = inOrder(first, second);
    let asked = 0;
    const start = first.start;
    first.start = async (conversation) => {
      asked++;
      return start(conversation);
    };
    for (let call = 0; call < 3; call++) await engineTalk(engine);
    expect(asked).toBe(1);
    clock.advance(31_000);
    await engineTalk(engine);
    expect(asked).toBe(2);
    second.failStart("unavailable");
    await expect(engineTalk(engine)).rejects.toBeInstanceOf(EngineUnavailable);
    await expect(engineTalk(engine)).rejects.toBeInstanceOf(EngineUnavailable);
  });

  it("lets nothing be heard of an engine that starts after the call is over", async () => {
    const second = fakeEngine();
    const { engine } = inOrder(failing(), second);
    const { session, events } = await engineTalk(engine);
    session.begin();
    session.close();
    await settle();
    expect(second.conversations.flatMap(({ told }) => told.map(({ type }) => type))).toEqual(["close"]);
    expect(events).toEqual([]);
  });
});
