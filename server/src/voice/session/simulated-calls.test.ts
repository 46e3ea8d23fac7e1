import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manualClock } from "../../testing/manual-clock.ts";
import { type FakePorts, fakePorts } from "../../testing/voice/fake-ports.ts";
import { handDrivenMediaClock } from "../../testing/voice/hand-driven-media-clock.ts";
import { crossedLegs } from "../../testing/voice/memory-line.ts";
import { callSetup } from "../../testing/voice/voice-harness.ts";
import { createSimulatedCarrier } from "../carriers/simulated/index.ts";
import { createScriptedEngine } from "../engines/scripted/create-scripted-engine.ts";
import { loadVoiceActivity, type VoiceActivity } from "../media/voice-activity.ts";
import { createSpeech } from "../speech/index.ts";
import type { Speech } from "../speech/speech.ts";
import { createDetectors } from "./create-detectors.ts";
import { createVoicePlane } from "./create-voice-plane.ts";
import type { CallSetup } from "./ports.ts";
import { sentences } from "./sentences.ts";

/**
 * The numbers of the simulated carrier with the scripted engine, real voices and real ears; only the network is left
 * out, and time is moved by hand: a tick waits for the speech that is being made.
 */
let speech: Speech;
let voiceActivity: VoiceActivity;
let making = 0;

beforeAll(async () => {
  const real = createSpeech();
  speech = {
    ...real,
    async synthesize(...args: Parameters<Speech["synthesize"]>) {
      making++;
      try {
        return await real.synthesize(...args);
      } finally {
        making--;
      }
    },
  };
  voiceActivity = await loadVoiceActivity();
});
afterAll(() => speech?.close());

async function callNumber(suffix: string, setup: Partial<CallSetup> = {}, ports: FakePorts = fakePorts()) {
  const clock = manualClock();
  const media = handDrivenMediaClock(clock);
  const detectors = createDetectors(voiceActivity);
  const carrier = createSimulatedCarrier({
    mediaClock: media as never,
    speech,
    speechDetector: detectors.speech,
    openLine: async () => crossedLegs(),
  });
  const plane = createVoicePlane({
    clock,
    mediaClock: media,
    engine: createScriptedEngine({ speech }),
    speech: { ...speech, close: async () => undefined },
    detectors,
    browserLegs: { open: () => undefined as never, close: async () => undefined },
    iceServers: [],
    carriers: [carrier],
    logger: pino({ enabled: false }),
  });
  const from = "+15035550000";
  ports.answers.target = { transferId: "transfer", carrier, from, to: "+15035550100" };
  const call = await plane.startPhoneCall(
    callSetup({
      greeting: "Hello, this is Ada from the example company. Is this a good moment?",
      voice: "clara",
      ...setup,
    }),
    ports,
    { carrier, from, to: `+1503555${suffix}` },
  );
  const startedAt = clock.now();
  const untilEnd = async (withinMs = 120_000) => {
    await media.until(
      () => ports.ends.length > 0,
      withinMs,
      () => making === 0,
    );
    await call.ended;
    await plane.close();
    expect([clock.pending(), media.members()]).toEqual([0, 0]);
    return ports.ends[0]!;
  };
  const script = () => ports.turns.map(({ role, text }) => `${role}: ${text}`);
  return { call, ports, clock, media, untilEnd, script, startedAt };
}

describe("the simulated numbers, with real voices", () => {
  it("0100: a person answers, talks a little and hangs up", async () => {
    const { untilEnd, script, ports } = await callNumber("0100");
    expect(await untilEnd()).toMatchObject({ status: "completed", outcome: "completed" });
    expect(ports.log).toContain("classified human");
    expect(script().slice(0, 3)).toEqual([
      "user: Hello?",
      "agent: Hello, this is Ada from the example company. Is this a good moment?",
      "user: Yes, this is a good moment. What is it about?",
    ]);
    expect(script().some((line) => line.includes("[speech"))).toBe(false);
  });

  it.each([
    ["0101", "busy", "busy"],
    ["0102", "no-answer", "no_answer"],
    ["0103", "failed", "failed"],
    ["0105", "failed", "congestion"],
  ])("%s isn't answered: %s, %s", async (suffix, status, outcome) => {
    const { untilEnd, clock, startedAt } = await callNumber(suffix);
    expect(await untilEnd()).toMatchObject({ status, outcome });
    expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000);
  });

  it("0104: an answering machine gets its message after the beep", async () => {
    const { untilEnd, ports } = await callNumber("0104", {
      voicemailMessage: "Please call us back, thank you.",
    });
    expect(await untilEnd()).toMatchObject({ status: "voicemail", outcome: "voicemail" });
    expect(ports.log).toContain("classified machine");
    const message = ports.turns.find(({ role }) => role === "agent");
    expect(message?.text).toBe("Please call us back, thank you.");
    const greeting = ports.turns.find(({ text }) => text.startsWith("Hello, you have reached"));
    expect(message!.startMs).toBeGreaterThan(greeting!.endMs + 800);
    expect(message!.startMs).toBeLessThan(greeting!.endMs + 2_500);
  });

  it("0104 without a message is hung up on", async () => {
    const { untilEnd, ports } = await callNumber("0104");
    expect(await untilEnd()).toMatchObject({ status: "voicemail" });
    expect(ports.turns.filter(({ role }) => role === "agent")).toEqual([]);
  });

  it("0107: a person asks never to be called again", async () => {
    const { untilEnd, ports, media, clock } = await callNumber("0107", {
      recording: true,
      recordingAnnouncement: "This call is recorded.",
    });
    await media.until(
      () => ports.tools.length > 0,
      120_000,
      () => making === 0,
    );
    const asked = clock.now();
    expect(await untilEnd()).toMatchObject({ status: "completed", outcome: "do_not_call" });
    expect(clock.now() - asked).toBeLessThan(10_000);
    expect(ports.tools).toEqual([
      { name: "record_opt_out", args: { evidence: "Please never call me again. Take me off your list." } },
    ]);
    expect(ports.turns.at(-1)?.text).toBe(sentences.optOutConfirmed);
  });

  it("0108: a person agrees to an appointment", async () => {
    const { untilEnd, ports } = await callNumber("0108");
    expect(await untilEnd()).toMatchObject({ status: "completed", outcome: "appointment_set" });
    expect(ports.tools).toEqual([{ name: "book_appointment", args: { day: "tomorrow", time: "10:00" } }]);
  });

  it("0109: a person asks for a human, and is transferred", async () => {
    const { untilEnd, ports } = await callNumber("0109");
    expect(await untilEnd()).toMatchObject({ status: "completed", outcome: "transferred" });
    expect(ports.transfers).toEqual([{ transferId: "transfer", outcome: "success" }]);
  });

  it("0110: a person stays until the call's longest duration", async () => {
    const { untilEnd, call, media, ports } = await callNumber("0110", { maxDurationSeconds: 60 });
    await media.until(
      () => call.status() === "in-progress",
      5_000,
      () => making === 0,
    );
    const end = await untilEnd();
    expect(end).toMatchObject({ status: "completed" });
    expect(end.at - end.answeredAt!).toBeGreaterThan(50_000);
    expect(ports.turns.filter(({ role }) => role === "agent").at(-1)?.text).toBe(sentences.timeIsUp);
  });
});
