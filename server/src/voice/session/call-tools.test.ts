import { describe, expect, it } from "vitest";
import { fakeCarrier } from "../../testing/voice/fake-carrier.ts";
import { fakeEngine } from "../../testing/voice/fake-engine.ts";
import { fakePorts } from "../../testing/voice/fake-ports.ts";
import { voiceHarness } from "../../testing/voice/voice-harness.ts";
import { toolDefinitions } from "../engines/tool-definitions.ts";
import { sentences } from "./sentences.ts";

async function answeredCall(setup: object = {}, ports = fakePorts()) {
  const engine = fakeEngine({
    onTold(fake, told) {
      if (told.type === "begin") fake.speak("Hello.", 1_000);
      if (told.type === "say") fake.speak(told.text, 2_500, told.utteranceId);
    },
  });
  const harness = voiceHarness({ engine });
  const started = await harness.dial(setup, ports);
  started.line.answer();
  started.line.far.speak(600);
  const conversation = engine.conversations[0]!;
  await harness.media.until(() => conversation.tolds("played").length > 0);
  const call = (name: string, args: unknown, id = `id-${name}`) =>
    conversation.emit({ type: "tool_call", id, name, arguments: args });
  return { ...harness, ...started, engine, conversation, callTool: call };
}

describe("tools", () => {
  it("end the call once the last words have been played", async () => {
    const { conversation, media, ports, callTool, clock } = await answeredCall();
    conversation.speak("Goodbye, then.", 1_500);
    callTool("end_call", {});
    const asked = clock.now();
    await media.until(() => ports.ends.length > 0);
    expect(clock.now() - asked).toBeGreaterThanOrEqual(1_500);
    expect(clock.now() - asked).toBeLessThan(2_600);
    expect(ports.turns.at(-1)?.text).toBe("Goodbye, then.");
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
  });

  it("end the call within 10 s also while the engine talks on", async () => {
    const { conversation, media, ports, callTool, clock } = await answeredCall();
    conversation.speak("And another thing.", 60_000);
    callTool("end_call", {});
    const asked = clock.now();
    await media.until(() => ports.ends.length > 0);
    expect(clock.now() - asked).toBeLessThanOrEqual(10_100);
  });

  it("record an opt-out, confirm it in one sentence and end the call within 10 s", async () => {
    const { conversation, media, ports, callTool, clock } = await answeredCall();
    callTool("record_opt_out", { evidence: "never call me again" });
    const asked = clock.now();
    await media.until(() => conversation.tolds("say").length > 0);
    // Nobody cuts the confirmation off.
    await media.run(500);
    await media.until(() => ports.ends.length > 0);
    expect(clock.now() - asked).toBeLessThan(10_000);
    expect(ports.tools).toEqual([{ name: "record_opt_out", args: { evidence: "never call me again" } }]);
    expect(ports.turns.at(-1)?.text).toBe(sentences.optOutConfirmed);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "do_not_call" }]);
  });

  it("end the same way when the person asks elsewhere, by a text", async () => {
    const { conversation, media, ports, call, clock } = await answeredCall();
    conversation.speak("And another thing.", 60_000);
    const asked = clock.now();
    void call.optedOut("They wrote a text.");
    await media.until(() => ports.ends.length > 0);
    expect(clock.now() - asked).toBeLessThan(10_000);
    expect(ports.turns.at(-1)?.text).toBe(sentences.optOutConfirmed);
    expect(ports.ends).toMatchObject([
      { status: "completed", outcome: "do_not_call", reason: "They wrote a text." },
    ]);
  });

  it("let a phone ring no longer when the person asks elsewhere", async () => {
    const { dial, media } = voiceHarness({ engine: fakeEngine() });
    const { ports, line, call } = await dial();
    line.ring();
    const ended = call.optedOut("They wrote a text.");
    await media.until(() => ports.ends.length > 0);
    await ended;
    expect(ports.ends).toMatchObject([{ status: "canceled", reason: "They wrote a text." }]);
  });

  it("confirm an opt-out without the engine when it stays silent", async () => {
    const engine = fakeEngine({
      onTold(fake, told) {
        if (told.type === "begin") fake.speak("Hello.", 1_000);
      },
    });
    const { dial, media, clock } = voiceHarness({ engine });
    const { ports, line } = await dial();
    line.answer();
    line.far.speak(600);
    await media.until(() => engine.conversations[0]!.tolds("played").length > 0);
    engine.conversations[0]!.emit({
      type: "tool_call",
      id: "1",
      name: "record_opt_out",
      arguments: { evidence: "stop" },
    });
    const asked = clock.now();
    await media.until(() => ports.ends.length > 0);
    expect(clock.now() - asked).toBeLessThan(10_000);
    expect(ports.turns.at(-1)?.text).toBe(sentences.optOutConfirmed);
  });

  it("say so when an opt-out couldn't be stored, and go on", async () => {
    const ports = fakePorts();
    ports.rejectOn("runTool");
    const { conversation, media, callTool, call } = await answeredCall({}, ports);
    callTool("record_opt_out", { evidence: "stop" });
    await media.until(() => conversation.tolds("say").length > 0);
    expect(conversation.tolds("say")[0]?.text).toBe(sentences.optOutFailed);
    await media.run(12_000);
    expect(call.status()).toBe("in-progress");
    await call.hangup("done");
  });

  it("record an opt-out also during the goodbye, and nothing else is said or done", async () => {
    const { conversation, media, ports, callTool } = await answeredCall({ maxDurationSeconds: 60 });
    await media.until(() => conversation.tolds("say").length > 0);
    callTool("record_opt_out", { evidence: "never call again" });
    callTool("book_appointment", { day: "today", time: "15:00" });
    conversation.speak("By the way, we also sell insurance.", 1_000);
    await media.until(() => ports.ends.length > 0);
    expect(ports.tools.map(({ name }) => name)).toEqual(["record_opt_out"]);
    expect(ports.turns.at(-1)?.text).toBe(sentences.timeIsUp);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "do_not_call" }]);
  });

  it("book an appointment and tell the engine", async () => {
    const { conversation, media, ports, callTool, call } = await answeredCall();
    ports.answers.tool = { ok: true, result: { appointment_id: "a" } };
    callTool("book_appointment", { day: "tomorrow", time: "10:00" });
    await media.until(() => conversation.tolds("toolResult").length > 0);
    expect(conversation.tolds("toolResult")).toEqual([
      {
        type: "toolResult",
        id: "id-book_appointment",
        result: { ok: true, result: { appointment_id: "a" } },
      },
    ]);
    await call.hangup("done");
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "appointment_set" }]);
    const turn = ports.turns.find(({ role }) => role === "tool");
    expect(turn?.text).toBe('book_appointment: {"day":"tomorrow","time":"10:00"} → {"appointment_id":"a"}');
  });

  it("still count when the person hangs up while they run", async () => {
    const { media, ports, callTool, line, call } = await answeredCall();
    callTool("record_opt_out", { evidence: "stop" });
    line.end("remote_hangup");
    await call.ended;
    expect(ports.tools).toHaveLength(1);
    expect(ports.ends).toMatchObject([{ outcome: "do_not_call" }]);
    expect(media.members()).toBe(0);
  });

  it.each([
    ["an unknown tool", "drop_tables", {}],
    ["a name of JavaScript's own", "constructor", {}],
    ["a tool that isn't granted", "book_appointment", { day: "tomorrow", time: "10:00" }],
    ["wrong arguments", "record_opt_out", { evidence: 5 }],
    ["missing arguments", "record_opt_out", {}],
    ["arguments too many", "end_call", { reason: "x", also: true }],
    ["no object", "end_call", "now"],
    ["nothing", "end_call", undefined],
  ])("don't run for %s", async (_, name, args) => {
    const { conversation, media, ports, callTool, call } = await answeredCall({
      tools: [toolDefinitions.end_call, toolDefinitions.record_opt_out],
    });
    callTool(name, args);
    await media.run(1_000);
    expect(conversation.tolds("toolResult")).toMatchObject([{ result: { ok: false } }]);
    expect(ports.tools).toEqual([]);
    expect(call.status()).toBe("in-progress");
    await call.hangup("done");
  });

  it("run once for a call that is told twice, and not while the call ends", async () => {
    const { media, ports, callTool } = await answeredCall();
    callTool("book_appointment", { day: "tomorrow", time: "10:00" });
    callTool("book_appointment", { day: "tomorrow", time: "10:00" });
    await media.run(200);
    callTool("end_call", {});
    callTool("book_appointment", { day: "monday", time: "11:00" }, "another");
    await media.until(() => ports.ends.length > 0);
    expect(ports.tools).toHaveLength(1);
  });
});

describe("a transfer", () => {
  async function transferring() {
    const ports = fakePorts();
    const carrier = fakeCarrier();
    ports.answers.target = { transferId: "transfer", carrier, from: "+15035550000", to: "+15035550199" };
    const started = await answeredCall({}, ports);
    started.callTool("transfer_to_human", { reason: "wants a human" });
    await started.media.until(() => carrier.calls.length > 0);
    return { ...started, second: carrier.calls[0]!, secondCarrier: carrier };
  }

  it("briefs the human, joins both, and ends when one hangs up", async () => {
    const { conversation, second, media, line, ports, call, speech, clock } = await transferring();
    expect(second.request).toMatchObject({
      callId: "transfer",
      to: "+15035550199",
      organizationId: "organization",
    });
    expect(conversation.tolds("say").map(({ text }) => text)).toEqual([sentences.connecting]);
    second.ring();
    await media.run(3_000);
    second.answer();
    second.far.speak(500);
    await media.until(() => ports.transfers.length > 0);
    expect(ports.transfers).toEqual([{ transferId: "transfer", outcome: "success" }]);
    expect(speech.spoken).toContain("This is Ada, who asked for a human.");
    // The human heard the briefing; the caller didn't hear the human's first words.
    expect(second.far.heard.filter((level) => level === 6_000).length * 20).toBeGreaterThan(2_000);
    expect(conversation.tolds("close")).toHaveLength(1);
    await media.run(500);
    second.far.speak(400, 3_000);
    line.far.speak(200, 4_000);
    await media.run(1_000);
    expect(line.far.heard.filter((level) => level === 3_000).length).toBe(20);
    expect(second.far.heard.filter((level) => level === 4_000).length).toBe(10);
    second.end("remote_hangup");
    await call.ended;
    expect(line.hungUp).toBe(true);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "transferred" }]);
    expect(
      ports.turns.some(
        ({ role, source, text }) => role === "agent" && source === "vad" && text === "[speech, 0.4 s]",
      ),
    ).toBe(true);
    expect([clock.pending(), media.members()]).toEqual([0, 0]);
  });

  it("is heard in the recording: the human on the agent's side", async () => {
    const ports = fakePorts();
    const carrier = fakeCarrier();
    ports.answers.target = { transferId: "transfer", carrier, from: "+15035550000", to: "+15035550199" };
    const { callTool, media, line, call } = await answeredCall({ recording: true }, ports);
    callTool("transfer_to_human", {});
    await media.until(() => carrier.calls.length > 0);
    carrier.calls[0]!.answer();
    await media.until(() => ports.transfers.length > 0);
    await media.run(3_000);
    carrier.calls[0]!.far.speak(400, 3_000);
    line.far.speak(400, 4_000);
    await media.run(600);
    await call.hangup("done");
    expect(ports.recording.agent.filter((level) => level === 3_000).length).toBe(20);
    expect(ports.recording.other.filter((level) => level === 4_000).length).toBe(20);
    expect(carrier.calls[0]!.hungUp).toBe(true);
  });

  it("ends both legs when the caller hangs up after joining", async () => {
    const { second, media, line, ports, call } = await transferring();
    second.answer();
    await media.until(() => ports.transfers.length > 0);
    line.end("remote_hangup");
    await call.ended;
    expect(second.hungUp).toBe(true);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "transferred" }]);
    expect(ports.transfers).toHaveLength(1);
  });

  it.each(["busy", "no_answer", "declined", "failed"] as const)(
    "that fails (%s) leaves the caller with the engine",
    async (cause) => {
      const { conversation, second, media, ports, call, line } = await transferring();
      line.say("Are you there?");
      second.ring();
      second.end(cause);
      await media.until(() => ports.transfers.length > 0);
      expect(ports.transfers).toEqual([{ transferId: "transfer", outcome: "failed" }]);
      expect(conversation.tolds("say").at(-1)?.text).toBe(sentences.transferFailed);
      // What was said meanwhile isn't lost.
      expect(conversation.tolds("said")).toHaveLength(1);
      await media.run(1_000);
      expect(call.status()).toBe("in-progress");
      await call.hangup("done");
      expect(ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
    },
  );

  it("that nobody answers for ever is given up", async () => {
    const { conversation, second, media, call } = await transferring();
    await media.until(() => conversation.tolds("toolResult").length > 0);
    expect(second.hungUp).toBe(true);
    await call.hangup("done");
  });

  it("that the caller doesn't wait for is hung up and stored as failed, before the end", async () => {
    const { second, line, call, ports } = await transferring();
    second.answer();
    line.end("remote_hangup");
    await call.ended;
    expect(second.hungUp).toBe(true);
    expect(second.far.closed).toBe(true);
    expect(ports.log.slice(-2).map((entry) => entry.split(" ")[0])).toEqual(["endTransfer", "ended"]);
    expect(ports.transfers).toEqual([{ transferId: "transfer", outcome: "failed" }]);
  });

  it("with nobody to transfer to, or that can't be dialed, fails", async () => {
    const nobody = await answeredCall();
    nobody.callTool("transfer_to_human", {});
    await nobody.media.until(() => nobody.conversation.tolds("toolResult").length > 0);
    expect(nobody.conversation.tolds("say").map(({ text }) => text)).toEqual([sentences.transferFailed]);
    await nobody.call.hangup("done");
    const ports = fakePorts();
    const carrier = fakeCarrier();
    carrier.refuse(new Error("no line"));
    ports.answers.target = { transferId: "transfer", carrier, from: "+15035550000", to: "+15035550199" };
    const refused = await answeredCall({}, ports);
    refused.callTool("transfer_to_human", {});
    await refused.media.until(() => refused.conversation.tolds("toolResult").length > 0);
    expect(ports.transfers).toEqual([{ transferId: "transfer", outcome: "failed" }]);
    await refused.call.hangup("done");
  });

  it("joins without a briefing when it can't be spoken", async () => {
    const ports = fakePorts();
    const carrier = fakeCarrier();
    ports.answers.target = { transferId: "transfer", carrier, from: "+15035550000", to: "+15035550199" };
    const { callTool, media, speech, call } = await answeredCall({}, ports);
    speech.break("fails");
    callTool("transfer_to_human", {});
    await media.until(() => carrier.calls.length > 0);
    carrier.calls[0]!.answer();
    await media.until(() => ports.transfers.length > 0);
    expect(ports.transfers[0]?.outcome).toBe("success");
    await call.hangup("done");
  });
});
