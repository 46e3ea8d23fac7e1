import { describe, expect, it } from "vitest";
import { fakeDetectors } from "../../testing/voice/fake-detectors.ts";
import { fakeEngine } from "../../testing/voice/fake-engine.ts";
import { fakePorts } from "../../testing/voice/fake-ports.ts";
import { voiceHarness } from "../../testing/voice/voice-harness.ts";
import { sentences } from "./sentences.ts";

const MESSAGE = "Sorry, nobody is free right now. Goodbye.";

/** A call that needs a seat, which a person has answered and greeted. */
async function answeredCall(
  seat: boolean | Promise<boolean>,
  { ports = fakePorts(), setup = {} }: { ports?: ReturnType<typeof fakePorts>; setup?: object } = {},
) {
  ports.answers.seat = seat;
  const engine = fakeEngine({
    onTold(fake, told) {
      if (told.type === "begin") fake.speak("Hello.", 1_000);
    },
  });
  const harness = voiceHarness({ engine });
  const started = await harness.dial({ abandonedMessage: MESSAGE, ...setup }, ports);
  started.line.answer();
  started.line.far.speak(600);
  const conversation = engine.conversations[0]!;
  await harness.media.until(() => ports.log.some((entry) => entry.startsWith("classified")));
  return { ...harness, ...started, conversation };
}

describe("a person who answers while every seat is taken", () => {
  it("hears the message within 2 s of their greeting and nothing of the agent, and the call ends as abandoned", async () => {
    const { ports, media, conversation, line, call, clock } = await answeredCall(false);
    const heardFrom = line.far.heard.length;
    await media.until(() => line.far.heard.slice(heardFrom).some((level) => level > 0));
    // 400 ms of silence have told that their greeting was over.
    expect((line.far.heard.length - heardFrom) * 20).toBeLessThan(1_600);
    await media.until(() => ports.ends.length > 0);
    await call.ended;
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "abandoned" }]);
    expect(ports.ends[0]!.answeredAt).not.toBeNull();
    expect(ports.turns.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual([MESSAGE]);
    expect([conversation.tolds("begin"), conversation.tolds("say")]).toEqual([[], []]);
    expect(conversation.tolds("close")).toHaveLength(1);
    expect(ports.log.filter((entry) => entry === "takeSeat")).toHaveLength(1);
    expect([clock.pending(), media.members(), line.far.closed]).toEqual([0, 0, true]);
  });

  it("was abandoned also when they hang up at the first word, or we do", async () => {
    for (const how of ["they", "we"] as const) {
      const { ports, media, line, call } = await answeredCall(false);
      await media.until(() => line.far.heard.some((level) => level > 0));
      if (how === "they") line.end("remote_hangup");
      else void call.hangup("asked for");
      await call.ended;
      expect(ports.ends).toMatchObject([{ status: "completed", outcome: "abandoned" }]);
    }
  });

  it("may key 9 during the message: recorded once, confirmed, still abandoned", async () => {
    const { ports, media, line } = await answeredCall(false);
    await media.until(() => line.far.heard.some((level) => level > 0));
    for (const digit of "599") line.far.key(digit);
    await media.until(() => ports.ends.length > 0);
    expect(ports.tools).toEqual([{ name: "record_opt_out", args: { evidence: "keyed 9" } }]);
    expect(ports.turns.filter(({ role }) => role === "agent").map(({ text }) => text)).toEqual([
      MESSAGE,
      sentences.optOutConfirmed,
    ]);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "abandoned" }]);
  });

  it("isn't kept waiting when the message can't be spoken", async () => {
    const ports = fakePorts();
    ports.answers.seat = false;
    const { dial, media, speech } = voiceHarness({ engine: fakeEngine() });
    speech.break("fails");
    const { line } = await dial({ abandonedMessage: MESSAGE }, ports);
    line.answer();
    line.far.speak(600);
    await media.until(() => ports.ends.length > 0);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "abandoned" }]);
  });
});

describe("a person who answers while a seat is free", () => {
  it("is talked to", async () => {
    const { ports, media, conversation, call } = await answeredCall(true);
    await media.until(() => conversation.tolds("played").length > 0);
    await call.hangup("done");
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
  });

  it("is talked to also when that can't be learned, or not soon enough", async () => {
    const rejecting = fakePorts();
    rejecting.rejectOn("takeSeat");
    const rejected = await answeredCall(false, { ports: rejecting });
    await rejected.media.until(() => rejected.conversation.tolds("begin").length > 0);

    let answer: (taken: boolean) => void = () => undefined;
    const late = await answeredCall(new Promise((resolve) => (answer = resolve)));
    await late.media.run(900);
    expect(late.conversation.tolds("begin")).toEqual([]);
    await late.media.until(() => late.conversation.tolds("begin").length > 0);
    answer(false);
    await late.media.until(() => late.conversation.tolds("played").length > 0);
    await late.call.hangup("done");
    expect(late.ports.ends).toMatchObject([{ status: "completed", outcome: "completed" }]);
  });

  it("needs none where nobody counts seats", async () => {
    const { ports, media, conversation } = await answeredCall(false, { setup: { abandonedMessage: null } });
    await media.until(() => conversation.tolds("played").length > 0);
    expect(ports.log).not.toContain("takeSeat");
  });
});

it("takes no seat for an answering machine", async () => {
  const ports = fakePorts();
  ports.answers.seat = false;
  const { dial, media } = voiceHarness({ engine: fakeEngine(), detectors: fakeDetectors("machine") });
  const { line } = await dial({ abandonedMessage: MESSAGE }, ports);
  line.answer();
  await media.until(() => ports.ends.length > 0);
  expect(ports.ends).toMatchObject([{ status: "voicemail", outcome: "voicemail" }]);
  expect(ports.log).not.toContain("takeSeat");
});
