import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeCarrier } from "../../testing/voice/fake-carrier.ts";
import { type FakeEngine, fakeEngine, type Told } from "../../testing/voice/fake-engine.ts";
import { fakePorts } from "../../testing/voice/fake-ports.ts";
import { voiceHarness } from "../../testing/voice/voice-harness.ts";
import { isTerminal } from "../call-states.ts";
import type { EndCause } from "../carriers/carrier.ts";
import { sentences } from "./sentences.ts";

const greeting = () =>
  fakeEngine({
    onTold(fake, told) {
      if (told.type === "begin") fake.speak("Hello, this is a test.", 2_000);
      if (told.type === "say") fake.speak(told.text, 3_000, told.utteranceId);
    },
  });

async function answered(engine: FakeEngine, setup: object = {}) {
  const harness = voiceHarness({ engine });
  const started = await harness.dial(setup);
  started.line.answer();
  started.line.far.speak(600);
  await harness.media.until(() => started.ports.log.includes("classified human"));
  return { ...harness, ...started, conversation: engine.conversations[0]! };
}

describe("an engine that fails", () => {
  it("ends that one call with a sentence", async () => {
    const { conversation, media, ports, speech, clock } = await answered(greeting());
    await media.run(500);
    conversation.emit({ type: "failed", message: "the model is gone" });
    await media.until(() => ports.ends.length > 0, 10_000);
    expect(speech.spoken).toEqual([sentences.trouble]);
    expect(ports.ends).toMatchObject([
      { status: "failed", outcome: "failed", reason: "The voice engine failed: the model is gone" },
    ]);
    expect(ports.turns.at(-1)?.text).toBe(sentences.trouble);
    expect(clock.pending()).toBe(0);
  });

  it("ends the call also when no sentence can be spoken", async () => {
    for (const how of ["fails", "never"] as const) {
      const { conversation, media, ports, speech } = await answered(greeting());
      speech.break(how);
      conversation.emit({ type: "failed", message: "the model is gone" });
      await media.until(() => ports.ends.length > 0, 10_000);
      expect(ports.ends).toMatchObject([{ status: "failed" }]);
    }
  });

  it.each<Told["type"]>([
    "begin",
    "hear",
    "speechStarted",
    "speechEnded",
    "said",
    "keyed",
    "interrupted",
    "played",
    "say",
    "close",
  ])("by throwing at %s ends that call and no other", async (type) => {
    const engine = greeting();
    const harness = voiceHarness({ engine });
    const other = await harness.dial();
    const { call, line, ports } = await harness.dial();
    for (const started of [other.line, line]) {
      started.answer();
      started.far.speak(600);
    }
    engine.conversations[1]!.throwOn(type);
    await harness.media.run(2_500);
    line.far.speak(800);
    await harness.media.run(800);
    line.say("Hello?");
    line.far.key("5");
    await harness.media.run(3_000);
    engine.conversations[1]!.emit({
      type: "tool_call",
      id: "1",
      name: "record_opt_out",
      arguments: { evidence: "x" },
    });
    await harness.media.until(() => ports.ends.length > 0, 15_000);
    expect(isTerminal(call.status())).toBe(true);
    expect(other.call.status()).toBe("in-progress");
    expect(engine.conversations[0]!.tolds("played").length).toBe(1);
    await other.call.hangup("done");
    expect([harness.clock.pending(), harness.media.members()]).toEqual([0, 0]);
  });

  it("by falling silent ends the call", async () => {
    const engine = fakeEngine({ onTold: () => undefined });
    const { media, ports, clock } = await answered(engine);
    const begun = clock.now();
    await media.until(() => ports.ends.length > 0, 60_000);
    expect(ports.ends).toMatchObject([
      { status: "failed", reason: "The voice engine failed: it fell silent" },
    ]);
    expect(clock.now() - begun).toBeLessThan(45_000);
  });

  it("before the answer ends the call as failed", async () => {
    const engine = greeting();
    const { dial } = voiceHarness({ engine });
    const { call, ports, line } = await dial();
    line.ring();
    engine.conversations[0]!.emit({ type: "failed", message: "gone" });
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "failed", answeredAt: null }]);
    expect(line.hungUp).toBe(true);
  });

  it("while it is found out who answered: says so to a person, leaves machines their message", async () => {
    for (const [greetingMs, status] of [
      [600, "failed"],
      [5_000, "voicemail"],
    ] as const) {
      const engine = greeting();
      const { dial, media } = voiceHarness({ engine });
      const { ports, line } = await dial({ voicemailMessage: "Call us back." });
      line.answer();
      line.far.speak(greetingMs);
      await media.run(200);
      engine.conversations[0]!.emit({ type: "failed", message: "gone" });
      await media.until(() => ports.ends.length > 0, 30_000);
      expect(ports.ends).toMatchObject([{ status }]);
    }
  });

  it("may forget the end or the words of an utterance, or send nonsense", async () => {
    const { conversation, media, ports, call } = await answered(greeting());
    conversation.emit({ type: "audio", utteranceId: "endless", samples: new Int16Array(8_000).fill(500) });
    conversation.emit({ type: "audio", utteranceId: "empty", samples: new Int16Array(0) });
    conversation.emit({ type: "spoken", utteranceId: "never begun" });
    conversation.emit({ type: "text", utteranceId: "never spoken", text: "unheard", source: "model" });
    conversation.emit({ type: "heard", text: "   ", source: "stt" });
    await media.run(12_000);
    expect(call.status()).toBe("in-progress");
    await call.hangup("done");
    expect(ports.turns.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual([
      "Hello, this is a test.",
      "[speech, 1.0 s]",
    ]);
  });
});

describe("ports that reject", () => {
  it("end the call when a transition can't be stored, and the end is told once all the same", async () => {
    const engine = greeting();
    const { dial, clock, media, plane } = voiceHarness({ engine });
    const ports = fakePorts();
    ports.rejectOn("moved", "turn", "classified", "ended");
    const { call, line } = await dial({}, ports);
    line.ring();
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "failed" }]);
    expect([clock.pending(), media.members(), plane.running()]).toEqual([0, 0, []]);
  });

  it("don't stop a call whose turns can't be stored", async () => {
    const engine = greeting();
    const { dial, media } = voiceHarness({ engine });
    const ports = fakePorts();
    ports.rejectOn("turn", "classified");
    const { call, line } = await dial({}, ports);
    line.answer();
    line.far.speak(600);
    await media.run(5_000);
    await call.hangup("done");
    expect(ports.ends).toMatchObject([{ status: "completed" }]);
  });
});

describe("the plane", () => {
  it("takes no calls while it drains, waits for those that run, and ends them all when closed", async () => {
    const engine = greeting();
    const { dial, plane, media, clock } = voiceHarness({ engine });
    const first = await dial();
    const second = await dial();
    second.line.answer();
    expect(plane.running()).toEqual([first.call.callId, second.call.callId]);
    let drained = false;
    const draining = plane.drain().then(() => (drained = true));
    await expect(dial()).rejects.toMatchObject({ code: "concurrency_limit" });
    first.line.end("busy");
    await first.call.ended;
    await media.run(100);
    expect(drained).toBe(false);
    await plane.close();
    await draining;
    expect(second.ports.ends).toMatchObject([{ status: "failed", reason: "The service was shut down." }]);
    expect([clock.pending(), media.members(), plane.running()]).toEqual([0, 0, []]);
  });
});

type Step =
  | {
      do:
        | "ring"
        | "answer"
        | "vanish"
        | "hangup"
        | "join"
        | "secondEnds"
        | "breakSpeech"
        | "noMoney"
        | "close"
        | "malformed";
    }
  | { do: "end"; cause: EndCause }
  | { do: "speak" | "run" | "clock"; ms: number }
  | { do: "say"; text: string }
  | { do: "key"; digit: string }
  | { do: "engine"; what: "failed" | "speak" | "interrupt" | "throws"; type: Told["type"] }
  | { do: "tool"; name: string; args: unknown }
  | {
      do: "reject";
      port:
        | "moved"
        | "turn"
        | "ended"
        | "extendHold"
        | "runTool"
        | "beginTransfer"
        | "endTransfer"
        | "openRecording";
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Step>({ do: "ring" }, { do: "answer" }, { do: "answer" }) },
  fc.constantFrom<Step>(
    { do: "vanish" },
    { do: "hangup" },
    { do: "join" },
    { do: "secondEnds" },
    { do: "breakSpeech" },
    { do: "noMoney" },
    { do: "malformed" },
  ),
  fc.record({
    do: fc.constant("end" as const),
    cause: fc.constantFrom<EndCause>(
      "busy",
      "no_answer",
      "remote_hangup",
      "local_hangup",
      "failed",
      "canceled",
    ),
  }),
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("run" as const), ms: fc.constantFrom(20, 400, 3_000, 12_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("speak" as const), ms: fc.constantFrom(100, 600, 4_000) }),
  },
  fc.record({ do: fc.constant("clock" as const), ms: fc.constantFrom(1_000, 55_000, 61_000, 7_300_000) }),
  fc.record({ do: fc.constant("say" as const), text: fc.constantFrom("hello", "stop calling me", "") }),
  fc.record({ do: fc.constant("key" as const), digit: fc.constantFrom("9", "0", "#") }),
  fc.record({
    do: fc.constant("engine" as const),
    what: fc.constantFrom("failed" as const, "speak" as const, "interrupt" as const, "throws" as const),
    type: fc.constantFrom<Told["type"]>(
      "begin",
      "hear",
      "speechStarted",
      "said",
      "say",
      "interrupted",
      "close",
      "toolResult",
    ),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("tool" as const),
      name: fc.constantFrom(
        "end_call",
        "transfer_to_human",
        "book_appointment",
        "record_opt_out",
        "nonsense",
      ),
      args: fc.constantFrom<unknown>({}, { evidence: "x" }, { day: "tomorrow", time: "10:00" }, null),
    }),
  },
  fc.record({
    do: fc.constant("reject" as const),
    port: fc.constantFrom(
      "moved" as const,
      "turn" as const,
      "ended" as const,
      "extendHold" as const,
      "runTool" as const,
      "beginTransfer" as const,
      "endTransfer" as const,
      "openRecording" as const,
    ),
  }),
);

describe("whatever happens in whatever order", () => {
  it("a call ends exactly once and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.boolean(),
        fc.option(fc.constant("Call us back."), { nil: null }),
        async (steps, recording, voicemailMessage) => {
          const engine = greeting();
          const harness = voiceHarness({ engine });
          const { media, clock, speech } = harness;
          const ports = fakePorts();
          const colleague = fakeCarrier();
          ports.answers.target = { transferId: "transfer", carrier: colleague, from: "+1", to: "+2" };
          const { call, line } = await harness.dial(
            {
              recording,
              recordingAnnouncement: "This call is recorded.",
              voicemailMessage,
              maxDurationSeconds: 120,
            },
            ports,
          );
          const conversation = engine.conversations[0]!;
          let toolCalls = 0;
          for (const now of steps) {
            if (now.do === "ring") line.ring();
            else if (now.do === "answer") line.answer();
            else if (now.do === "vanish") line.far.vanish();
            else if (now.do === "hangup") void call.hangup("asked");
            else if (now.do === "join") colleague.calls.at(-1)?.answer();
            else if (now.do === "secondEnds") colleague.calls.at(-1)?.end("remote_hangup");
            else if (now.do === "breakSpeech") speech.break("never");
            else if (now.do === "noMoney") ports.answers.extendHold = false;
            else if (now.do === "malformed")
              conversation.emit({ type: "audio", utteranceId: "bad", samples: null as never });
            else if (now.do === "end") line.end(now.cause);
            else if (now.do === "run") await media.run(now.ms);
            else if (now.do === "clock") clock.advance(now.ms);
            else if (now.do === "speak") line.far.speak(now.ms);
            else if (now.do === "say") line.say(now.text);
            else if (now.do === "key") line.far.key(now.digit);
            else if (now.do === "tool")
              conversation.emit({
                type: "tool_call",
                id: `t${++toolCalls}`,
                name: now.name,
                arguments: now.args,
              });
            else if (now.do === "reject") ports.rejectOn(now.port);
            else if (now.do === "engine" && now.what === "failed")
              conversation.emit({ type: "failed", message: "gone" });
            else if (now.do === "engine" && now.what === "speak") conversation.speak("Something.", 1_000);
            else if (now.do === "engine" && now.what === "interrupt")
              conversation.emit({ type: "interrupt" });
            else if (now.do === "engine") conversation.throwOn(now.type);
          }
          await media.run(40);
          const reached = call.status();
          await harness.plane.close();
          await call.ended;
          if (isTerminal(reached)) expect(call.status()).toBe(reached);
          expect(ports.ends).toHaveLength(1);
          expect(ports.log.at(-1)).toMatch(/^ended /);
          expect(isTerminal(call.status())).toBe(true);
          expect(ports.ends[0]!.status).toBe(call.status());
          expect([clock.pending(), media.members(), harness.plane.running()]).toEqual([0, 0, []]);
          // Each attempt that was stored has its end.
          if (!steps.some((one) => one.do === "reject" && one.port === "beginTransfer")) {
            expect(ports.transfers.length).toBe(
              ports.log.filter((entry) => entry === "beginTransfer").length,
            );
          }
          for (const second of colleague.calls) {
            expect(second.hungUp || steps.some((one) => one.do === "secondEnds")).toBe(true);
          }
          for (const turn of ports.turns) expect(turn.endMs).toBeGreaterThanOrEqual(turn.startMs);
          expect(
            ports.tools.every(({ name }) => name === "book_appointment" || name === "record_opt_out"),
          ).toBe(true);
        },
      ),
      { numRuns: 120 },
    );
  }, 120_000);
});
