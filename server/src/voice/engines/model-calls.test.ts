import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { countingMeter } from "../../testing/voice/counting-meter.ts";
import { fakeSpeech } from "../../testing/voice/fake-speech.ts";
import { modelServer } from "../../testing/voice/model-server.ts";
import { realtimeServer } from "../../testing/voice/realtime-server.ts";
import { voiceHarness } from "../../testing/voice/voice-harness.ts";
import { sentences } from "../session/sentences.ts";
import type { VoiceEngine } from "./engine.ts";
import { createFallbackEngine } from "./fallback/create-fallback-engine.ts";
import { TOOK_OVER } from "./fallback/handover.ts";
import { createPipelineEngine } from "./pipeline/create-pipeline-engine.ts";
import { createRealtimeEngine } from "./realtime/create-realtime-engine.ts";
import { createScriptedEngine } from "./scripted/create-scripted-engine.ts";

const clock = systemClock();
const meter = countingMeter();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Provider {
  engine: VoiceEngine;
  answers(text: string): void;
  /** Takes everything from now on, and says nothing. */
  fallSilent(): void;
}

async function realtime(): Promise<Provider> {
  const server = await realtimeServer();
  const engine = createRealtimeEngine({
    clock,
    meter,
    url: server.url,
    apiKey: null,
    model: "m",
    transcriptionModel: "t",
    voices: {},
    times: { answerWithinMs: 150 },
  });
  closers.push(server.close, engine.close);
  const silence = Array.from({ length: 9 }, () => ({ silent: true as const }));
  return {
    engine,
    answers: (says) => server.script({ says }),
    fallSilent: () => server.script(...silence),
  };
}

async function pipeline(): Promise<Provider> {
  const server = await modelServer();
  const at = { url: server.url, apiKey: null, model: "m" };
  const engine = createPipelineEngine({
    clock,
    meter,
    speech: fakeSpeech(),
    stt: at,
    llm: at,
    tts: { ...at, voices: {} },
    withinMs: 300,
  });
  closers.push(server.close, engine.close);
  const silence = Array.from({ length: 9 }, () => ({ silent: true as const }));
  return {
    engine,
    answers: (says) => server.script("llm", { says }),
    fallSilent: () => server.script("llm", ...silence),
  };
}

/** A call that somebody has answered, and that greets. */
async function answered(engine: VoiceEngine) {
  const harness = voiceHarness({ engine });
  const { line, ports } = await harness.dial();
  line.answer();
  line.far.speak(600);
  // Faster than life, with a breath after each tick: the servers' part of it is real. Not so fast that the call's own patience with
  // its engine, 1,500 ticks, is over before the engine's with its servers.
  const until = async (condition: () => boolean) => {
    const deadline = performance.now() + 30_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`it didn't come to that: ${said().join("; ")}`);
      await harness.media.tick();
      await new Promise<void>((resolve) => setTimeout(resolve, 2));
    }
  };
  const said = () => ports.turns.map(({ role, source, text }) => `${role} (${source}): ${text}`);
  await until(() => said().some((turn) => turn.endsWith("Hello, this is a test.")));
  return { line, ports, until, said };
}

describe.each([
  ["realtime", realtime],
  ["pipeline", pipeline],
])("a call with the %s engine", (_, open) => {
  it("is a conversation, with a transcript of both sides cut to what was heard", async () => {
    const { engine, answers } = await open();
    const { line, ports, until, said } = await answered(engine);
    answers("Umbrellas of all sizes and colours, for every kind of rain that there is.");
    line.far.speak(900);
    await until(() => line.far.heard.slice(-40).every((loudest) => loudest > 0));
    answers("All right.");
    line.far.speak(900);
    await until(() => said().some((turn) => turn.endsWith("All right.")));
    line.end("remote_hangup");
    await until(() => ports.ends.length > 0);
    expect(said().slice(-4)).toEqual([
      "user (stt): Something.",
      expect.stringMatching(/^agent \(model\): Umbrellas.*[a-z]$/),
      "user (stt): Something.",
      "agent (model): All right.",
    ]);
    expect(said().at(-3)).not.toContain("there is.");
    expect(ports.ends).toMatchObject([{ status: "completed" }]);
  });

  it("ends with one sentence when its provider falls silent", async () => {
    const { engine, fallSilent } = await open();
    const { line, ports, until, said } = await answered(engine);
    fallSilent();
    line.far.speak(900);
    await until(() => ports.ends.length > 0);
    expect(said().at(-1)).toBe(`agent (script): ${sentences.trouble}`);
    expect(ports.ends).toMatchObject([{ status: "failed", outcome: "failed" }]);
  });

  it("goes on with the next engine in the order, after one sentence", async () => {
    const { engine, fallSilent } = await open();
    const scripted = createScriptedEngine({ speech: fakeSpeech() });
    const { line, ports, until, said } = await answered(
      createFallbackEngine({ clock, meter, engines: [engine, scripted] }),
    );
    fallSilent();
    line.far.speak(900);
    await until(() => said().at(-1) === `agent (script): ${TOOK_OVER}`);
    line.far.key("9");
    await until(() => ports.ends.length > 0);
    expect(ports.tools).toEqual([{ name: "record_opt_out", args: { evidence: "keyed 9" } }]);
    expect(ports.ends).toMatchObject([{ status: "completed", outcome: "do_not_call" }]);
  });
});
