import { describe, expect, it } from "vitest";
import { BEEP_AMPLITUDE, fakeDetectors } from "../../testing/voice/fake-detectors.ts";
import { fakeEngine } from "../../testing/voice/fake-engine.ts";
import { fakePorts } from "../../testing/voice/fake-ports.ts";
import { voiceHarness } from "../../testing/voice/voice-harness.ts";
import type { EndCause } from "../carriers/carrier.ts";
import { sentences } from "./sentences.ts";

const engineThatGreets = () =>
  fakeEngine({
    onTold(fake, told) {
      if (told.type === "begin") fake.speak(fake.conversation.greeting, 2_000);
      if (told.type === "say") fake.speak(told.text, 3_000, told.utteranceId);
    },
  });

/** A phone call that a human has answered, greeted and listening. */
async function answeredCall(options: { setup?: object; engine?: ReturnType<typeof fakeEngine> } = {}) {
  const engine = options.engine ?? engineThatGreets();
  const harness = voiceHarness({ engine });
  const started = await harness.dial(options.setup);
  started.line.ring();
  started.line.answer();
  started.line.far.speak(600);
  const conversation = engine.conversations[0]!;
  await harness.media.until(() => conversation.tolds("begin").length > 0);
  return { ...harness, ...started, engine, conversation };
}

describe("a call that isn't answered", () => {
  const rows: [EndCause, string, string][] = [
    ["busy", "busy", "busy"],
    ["no_answer", "no-answer", "no_answer"],
    ["declined", "no-answer", "declined"],
    ["blocked", "failed", "blocked"],
    ["invalid_number", "failed", "invalid_number"],
    ["congestion", "failed", "congestion"],
    ["failed", "failed", "failed"],
    ["canceled", "canceled", "canceled"],
    ["local_hangup", "canceled", "canceled"],
    ["remote_hangup", "failed", "failed"],
  ];
  for (const rings of [true, false]) {
    it.each(rows)(
      `ends by the carrier's %s as %s, ${rings ? "after" : "without"} ringing`,
      async (cause, status, outcome) => {
        const { dial, clock, media, plane } = voiceHarness({ engine: fakeEngine() });
        const { call, ports, line } = await dial();
        expect(call.status()).toBe("initiating");
        if (rings) line.ring();
        line.end(cause);
        await call.ended;
        expect(ports.ends).toMatchObject([{ status, outcome, answeredAt: null, recordingBytes: null }]);
        expect(ports.log).toEqual([...(rings ? ["moved initiated"] : []), `ended ${status}`]);
        expect(call.status()).toBe(status);
        expect(plane.running()).toEqual([]);
        expect(plane.find(call.callId)).toBeUndefined();
        expect([clock.pending(), media.members()]).toEqual([0, 0]);
      },
    );
  }

  it("is canceled by a hangup", async () => {
    const { dial } = voiceHarness({ engine: fakeEngine() });
    const { call, ports, line } = await dial();
    line.ring();
    await call.hangup("asked for");
    expect(ports.ends).toMatchObject([{ status: "canceled", outcome: "canceled", reason: "asked for" }]);
    expect(line.hungUp).toBe(true);
  });

  it("is given up when the carrier never says anything", async () => {
    const { dial, clock } = voiceHarness({ engine: fakeEngine() });
    const { call, ports } = await dial();
    clock.advance(180_000);
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "no-answer" }]);
  });

  it("leaves nothing when the carrier refuses it, or the engine can't begin", async () => {
    const engine = fakeEngine();
    const { dial, carrier, plane, clock } = voiceHarness({ engine });
    carrier.refuse(new Error("refused"));
    const ports = fakePorts();
    await expect(dial({}, ports)).rejects.toThrow("refused");
    expect(engine.conversations[0]?.tolds("close")).toHaveLength(1);
    carrier.refuse(null);
    for (const how of ["unavailable", "throws"] as const) {
      engine.failStart(how);
      await expect(dial({}, ports)).rejects.toMatchObject({ name: "EngineUnavailable" });
    }
    engine.failStart("never");
    const late = dial({}, ports);
    clock.advance(10_000);
    await expect(late).rejects.toMatchObject({ name: "EngineUnavailable" });
    expect([ports.log, plane.running(), clock.pending()]).toEqual([[], [], 0]);
  });
});

describe("a person who answers", () => {
  it("is greeted, heard and answered, and hangs up", async () => {
    const { call, ports, line, conversation, media, clock } = await answeredCall();
    expect(ports.log).toEqual(["moved initiated", "moved in-progress", "classified human"]);
    await media.until(() => conversation.tolds("played").length === 1);
    line.far.speak(1_000);
    await media.run(1_000);
    line.say("Who is this?");
    await media.until(() => conversation.tolds("speechEnded").length === 2);
    conversation.speak("I am a test.", 1_000);
    await media.until(() => conversation.tolds("played").length === 2);
    line.end("remote_hangup");
    await call.ended;
    expect(ports.turns.map(({ role, source, text }) => [role, source, text])).toEqual([
      ["user", "vad", "[speech, 0.6 s]"],
      ["agent", "model", "Hello, this is a test."],
      ["user", "simulated", "Who is this?"],
      ["agent", "model", "I am a test."],
    ]);
    const [, greeting] = ports.turns;
    expect(greeting!.endMs - greeting!.startMs).toBe(2_000);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
    expect(ports.ends[0]!.answeredAt).toBeLessThan(ports.ends[0]!.at);
    expect([clock.pending(), media.members(), line.far.closed]).toEqual([0, 0, true]);
    expect(conversation.tolds("close")).toHaveLength(1);
  });

  it("cuts in: silence at once, and only what was heard stays in the transcript", async () => {
    const { ports, line, conversation, media, call } = await answeredCall({
      setup: { greeting: "One two three four five six seven eight nine ten." },
    });
    await media.run(1_000);
    const before = line.far.heard.length;
    line.far.speak(400);
    await media.run(100);
    expect(line.far.heard.slice(before).indexOf(0)).toBeLessThanOrEqual(4);
    const [cut] = conversation.tolds("interrupted");
    expect(cut!.playedMs).toBeGreaterThan(900);
    expect(cut!.playedMs).toBeLessThan(1_200);
    const index = conversation.told.findIndex(({ type }) => type === "interrupted");
    expect(conversation.told[index + 1]).toEqual({ type: "speechStarted" });
    expect(ports.turns.find(({ role }) => role === "agent")?.text).toBe("One two three four five");
    // What still comes of it is not played.
    conversation.emit({
      type: "audio",
      utteranceId: cut!.utteranceId,
      samples: new Int16Array(8_000).fill(9_000),
    });
    await media.run(500);
    expect(line.far.heard.at(-1)).toBe(0);
    await call.hangup("done");
  });

  it("keys digits: each is told at once, those close together are one turn", async () => {
    const { ports, line, conversation, media, call } = await answeredCall();
    await media.until(() => conversation.tolds("played").length === 1);
    for (const digit of "42#") {
      line.far.key(digit);
      await media.run(300);
    }
    expect(conversation.tolds("keyed").map(({ digit }) => digit)).toEqual(["4", "2", "#"]);
    await media.run(2_500);
    line.far.key("9");
    await call.hangup("done");
    expect(ports.turns.filter(({ source }) => source === "dtmf").map(({ text }) => text)).toEqual([
      "42#",
      "9",
    ]);
  });

  it("is hung up on through the API", async () => {
    const { call, ports, line } = await answeredCall();
    await call.hangup("The operator ended it.");
    expect(ports.ends).toMatchObject([{ status: "completed", reason: "The operator ended it." }]);
    expect(line.hungUp).toBe(true);
    await call.hangup("again");
    expect(ports.ends).toHaveLength(1);
  });

  it("vanishes: the call ends when nothing has come for 30 s", async () => {
    const { call, ports, line, media } = await answeredCall();
    line.far.vanish();
    await media.run(29_000);
    expect(call.status()).toBe("in-progress");
    await media.run(1_100);
    expect(ports.ends).toMatchObject([{ status: "failed" }]);
  });

  it("counts as a person when it can't be told", async () => {
    const engine = engineThatGreets();
    const { dial, media, clock } = voiceHarness({ engine, detectors: fakeDetectors("never") });
    const { call, ports, line } = await dial();
    line.answer();
    const answered = clock.now();
    await media.until(() => ports.log.some((entry) => entry.startsWith("classified")));
    expect(ports.log.at(-1)).toBe("classified unknown");
    expect(clock.now() - answered).toBeLessThanOrEqual(5_000);
    await media.until(() => engine.conversations[0]!.tolds("begin").length === 1);
    await call.hangup("done");
  });
});

describe("an answering machine", () => {
  it("gets no message: the call ends as voicemail", async () => {
    const { dial, media } = voiceHarness({ engine: engineThatGreets() });
    const { call, ports, line } = await dial();
    line.answer();
    line.far.speak(6_000);
    await media.until(() => ports.ends.length > 0);
    await call.ended;
    expect(ports.log.filter((entry) => !entry.startsWith("turn"))).toEqual([
      "moved initiated",
      "moved in-progress",
      "classified machine",
      "ended voicemail",
    ]);
    expect(ports.ends[0]).toMatchObject({ status: "voicemail", outcome: "voicemail" });
    expect(line.far.heard.every((level) => level === 0)).toBe(true);
  });

  it("gets the message after its beep", async () => {
    const message = "Please call us back.";
    const { dial, media } = voiceHarness({ engine: engineThatGreets() });
    const { ports, line } = await dial({
      voicemailMessage: message,
      recording: true,
      recordingAnnouncement: "This call is recorded.",
    });
    line.answer();
    line.far.speak(6_000);
    line.far.speak(400, BEEP_AMPLITUDE);
    await media.until(() => ports.ends.length > 0);
    const began = line.far.heard.findIndex((level) => level > 0);
    expect(began * 20).toBeGreaterThanOrEqual(6_400 + 200);
    expect(began * 20).toBeLessThanOrEqual(6_400 + 600);
    expect(ports.turns.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual([message]);
    expect(ports.ends[0]).toMatchObject({
      status: "voicemail",
      outcome: "voicemail",
      recordingBytes: ports.recording.frames * 320,
    });
  });

  it("gets the message after silence where no beep comes, and is a voicemail when it hangs up before", async () => {
    const { dial, media } = voiceHarness({ engine: engineThatGreets() });
    const first = await dial({ voicemailMessage: "Please call us back." });
    first.line.answer();
    first.line.far.speak(6_000);
    await media.until(() => first.ports.ends.length > 0);
    const began = first.line.far.heard.findIndex((level) => level > 0) * 20;
    expect(began).toBeGreaterThan(9_000);
    expect(began).toBeLessThan(12_000);
    const second = await dial({ voicemailMessage: "Please call us back." });
    second.line.answer();
    second.line.far.speak(6_000);
    await media.run(4_000);
    second.line.end("remote_hangup");
    await second.call.ended;
    expect(second.ports.ends).toMatchObject([{ status: "voicemail" }]);
  });

  it("ends as voicemail also when the message can't be spoken", async () => {
    for (const how of ["fails", "never"] as const) {
      const { dial, media, speech, clock } = voiceHarness({ engine: engineThatGreets() });
      speech.break(how);
      const { ports, line } = await dial({ voicemailMessage: "Please call us back." });
      line.answer();
      line.far.speak(3_000);
      await media.until(() => ports.ends.length > 0, 200_000);
      expect(ports.ends[0]).toMatchObject({ status: "voicemail" });
      expect([clock.pending(), media.members()]).toEqual([0, 0]);
    }
  });
});

describe("a recorded call", () => {
  it("is announced first, and holds both sides in the call's own time", async () => {
    const { ports, line, media, call } = await answeredCall({
      setup: { recording: true, recordingAnnouncement: "This call is recorded." },
    });
    await media.run(1_000);
    // The announcement isn't cut off.
    line.far.speak(300);
    await media.run(5_000);
    await call.hangup("done");
    const agentTurns = ports.turns.filter(({ role }) => role === "agent");
    expect(agentTurns[0]?.text).toBe("This call is recorded.");
    expect(agentTurns[1]?.startMs).toBeGreaterThanOrEqual(agentTurns[0]!.endMs - 20);
    expect(ports.recording.frames).toBe(line.far.heard.length);
    expect(ports.recording.agent).toEqual(line.far.heard);
    const begins = agentTurns[0]!.startMs / 20;
    expect(ports.recording.other.slice(0, begins - 2).every((level) => level === 0)).toBe(true);
    expect(ports.recording.other.slice(begins).some((level) => level > 0)).toBe(true);
    expect(ports.ends[0]?.recordingBytes).toBe(ports.recording.frames * 320);
  });

  it("goes on without a recording when it can't be stored or announced", async () => {
    const engine = engineThatGreets();
    const { dial, media, speech } = voiceHarness({ engine });
    const stores = fakePorts();
    stores.rejectOn("openRecording");
    const setup = { recording: true, recordingAnnouncement: "This call is recorded." };
    const first = await dial(setup, stores);
    first.line.answer();
    first.line.far.speak(500);
    await media.until(() => engine.conversations[0]!.tolds("played").length === 1);
    await first.call.hangup("done");
    expect(first.ports.ends[0]).toMatchObject({ status: "completed", recordingBytes: null });
    for (const how of ["fails", "never"] as const) {
      speech.break(how);
      const { call, ports, line } = await dial(setup);
      line.answer();
      line.far.speak(500);
      await media.until(() => engine.conversations.at(-1)!.tolds("begin").length === 1);
      await call.hangup("done");
      expect(ports.log).not.toContain("openRecording");
    }
  });
});

describe("how long a call lasts", () => {
  it("ends at its longest duration, with a sentence", async () => {
    const { ports, media, call, clock } = await answeredCall({ setup: { maxDurationSeconds: 60 } });
    const answeredAt = clock.now();
    await media.until(() => ports.ends.length > 0);
    expect(ports.ends[0]).toMatchObject({
      status: "completed",
      reason: "The call reached its longest duration.",
    });
    expect(ports.ends[0]!.at - ports.ends[0]!.answeredAt!).toBeGreaterThan(55_000);
    expect(ports.ends[0]!.at - ports.ends[0]!.answeredAt!).toBeLessThanOrEqual(60_000);
    expect(ports.turns.at(-1)?.text).toBe(sentences.timeIsUp);
    expect(ports.log).not.toContain("extendHold");
    expect(answeredAt).toBeGreaterThan(0);
    await call.ended;
    expect(clock.pending()).toBe(0);
  });

  it("sets each further minute aside before it begins, and ends with the last one that is paid", async () => {
    const { ports, media, clock } = await answeredCall();
    await media.until(() => ports.log.filter((entry) => entry === "extendHold").length === 2, 200_000);
    ports.answers.extendHold = false;
    await media.until(() => ports.ends.length > 0, 200_000);
    const [end] = ports.ends;
    expect(end).toMatchObject({
      status: "completed",
      reason: "The balance didn't suffice for another minute.",
    });
    expect(end!.at - end!.answeredAt!).toBeLessThanOrEqual(180_000);
    expect(end!.at - end!.answeredAt!).toBeGreaterThan(175_000);
    expect(ports.turns.at(-1)?.text).toBe(sentences.cannotGoOn);
    expect(clock.pending()).toBe(0);
  });

  it("asks once more for a minute that it was refused: money may have come", async () => {
    const { ports, media, call } = await answeredCall();
    const asked = () => ports.log.filter((entry) => entry === "extendHold").length;
    ports.answers.extendHold = false;
    await media.until(() => asked() === 1, 70_000);
    ports.answers.extendHold = true;
    await media.until(() => asked() === 3, 70_000);
    expect(call.status()).toBe("in-progress");
    expect(ports.turns.map(({ text }) => text)).not.toContain(sentences.cannotGoOn);
    await call.hangup("enough");
  });

  it("isn't talked on when the money can't be asked for, or the question isn't answered", async () => {
    for (const how of ["rejects", "never"] as const) {
      const engine = engineThatGreets();
      const { dial, media } = voiceHarness({ engine });
      const ports = fakePorts();
      if (how === "rejects") ports.rejectOn("extendHold");
      else ports.extendHold = () => new Promise<never>(() => undefined);
      const { line, call } = await dial({}, ports);
      line.answer();
      line.far.speak(500);
      await media.until(() => call.status() !== "in-progress" && call.status() !== "initiated", 70_000);
      expect(call.status()).toBe("completed");
    }
  });
});
