import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../clock.ts";
import { countingMeter } from "../../../testing/voice/counting-meter.ts";
import { engineTalk } from "../../../testing/voice/engine-talk.ts";
import { type FakeSpeech, fakeSpeech } from "../../../testing/voice/fake-speech.ts";
import { type ModelServer, modelServer } from "../../../testing/voice/model-server.ts";
import { engineContract } from "../engine.contract.ts";
import { type Conversation, type EngineSession, EngineUnavailable, type VoiceEngine } from "../engine.ts";
import { createPipelineEngine, type PipelineEngineOptions } from "./create-pipeline-engine.ts";

const meter = countingMeter();
const engineOf = (
  { url }: { url: string },
  given: Partial<PipelineEngineOptions> = {},
  speech = fakeSpeech(),
) => {
  const server = (model: string) => ({ url, apiKey: `secret-of-${model}`, model });
  return createPipelineEngine({
    clock: systemClock(),
    meter,
    speech,
    stt: server("ears"),
    llm: server("brain"),
    tts: { ...server("mouth"), voices: { clara: "nova" } },
    withinMs: 400,
    ...given,
  });
};
const speak = (session: EngineSession) => {
  session.speechStarted();
  for (let frame = 0; frame < 45; frame++) session.hear(new Int16Array(160).fill(4_000));
  session.speechEnded(900);
};

for (const tts of ["a server's voice", "the embedded voices"] as const) {
  engineContract(`the pipeline engine with ${tts}`, async () => {
    const server = await modelServer();
    const engine = engineOf(server, tts === "the embedded voices" ? { tts: null } : {});
    return {
      engine,
      provokeAnswer: speak,
      provokeTool(session, tool) {
        server.script("llm", { calls: [{ name: tool, arguments: '{"evidence":"not again"}' }] });
        speak(session);
      },
      async close() {
        await engine.close();
        await server.close();
      },
    };
  });
}

describe("over three servers", () => {
  let server: ModelServer;
  let engine: VoiceEngine;
  let speech: FakeSpeech;
  const open: EngineSession[] = [];
  const greeted = async (
    given: Partial<Conversation> & { plays?: boolean } = {},
    options: Partial<PipelineEngineOptions> = {},
  ) => {
    server = await modelServer();
    speech = fakeSpeech();
    engine = engineOf(server, options, speech);
    const made = await engineTalk(engine, given);
    open.push(made.session);
    made.session.begin();
    await made.until(() => made.of("spoken").length === 1);
    return made;
  };
  afterEach(async () => {
    for (const session of open.splice(0)) session.close();
    await engine.close();
    await server.close();
    meter.troubles.length = 0;
    meter.stages.length = 0;
  });

  it("hears, thinks and speaks, and measures each", async () => {
    const { hears, speaks, until, said, of } = await greeted({ context: { first_name: "Ada" } });
    hears(200);
    server.script("stt", { says: " What is this about? " });
    server.script("llm", { says: "It is about umbrellas. Do you like them?" });
    speaks();
    await until(() => of("spoken").length === 2);
    expect(of("heard")).toEqual([{ type: "heard", text: "What is this about?", source: "stt" }]);
    expect(said()).toEqual(["Hello there.", "It is about umbrellas. Do you like them?"]);
    expect(server.sentences()).toEqual(["Hello there.", "It is about umbrellas.", "Do you like them?"]);
    const [chat] = server.chats();
    expect(chat!.messages.slice(1)).toEqual([
      { role: "assistant", content: "Hello there." },
      { role: "user", content: "What is this about?" },
    ]);
    expect(chat!.messages[0]!.content).toContain("You sell umbrellas.");
    expect(chat!.messages[0]!.content).toContain('{"first_name":"Ada"}');
    expect(chat!.temperature).toBe(0.7);
    const [stt] = server.requests.filter(({ role }) => role === "stt");
    expect(stt!.headers.authorization).toBe("Bearer secret-of-ears");
    expect(stt!.body.includes("ears")).toBe(true);
    // 200 ms from before it was noticed, and 900 ms of speech, at 8 kHz.
    const wav = stt!.body.subarray(stt!.body.indexOf("RIFF"));
    expect(wav.readUInt32LE(40)).toBe(2 * 8 * 1_100);
    const length = of("audio").reduce((sum, { samples }) => sum + samples.length, 0);
    expect(Math.abs(length - 8 * 60 * server.sentences().join("").length)).toBeLessThan(120);
    expect(meter.stages).toEqual(expect.arrayContaining(["stt", "llm", "tts", "turn"]));
  });

  it("speaks the first sentence while the model still thinks", async () => {
    const { speaks, until, said } = await greeted();
    server.script("llm", {
      halfOf: "This is the first. And that is the one that never ends",
      next: "silence",
    });
    speaks();
    await until(() => said()[1] === "This is the first.");
  });

  it("gives up what is being made when the person cuts in, and remembers what was heard", async () => {
    const { session, speaks, until, of } = await greeted();
    server.script("llm", { says: "One two three four. Five six seven eight. Nine ten eleven." });
    server.script(
      "tts",
      { says: "One two three four." },
      { says: "Five six seven eight." },
      { silent: true },
    );
    speaks();
    await until(() => of("text").length === 3);
    const { utteranceId } = of("audio").at(-1)!;
    session.interrupted(utteranceId, 19 * 60 + 60 * 10);
    session.speechStarted();
    await until(() => server.aborted.count === 1);
    expect(of("spoken").at(-1)!.utteranceId).toBe(utteranceId);
    session.speechEnded(900);
    await until(() => server.chats().length === 2);
    expect(server.chats()[1]!.messages.find(({ content }) => content.startsWith("One"))!.content).toBe(
      "One two three four. Five six",
    );
  });

  it("gives up a thought when the person goes on, and answers both sentences", async () => {
    const { session, speaks, until, said } = await greeted();
    server.script("stt", { says: "I like umbrellas." }, { says: "But not today." });
    server.script("llm", { silent: true }, { says: "Tomorrow, then." });
    speaks();
    await until(() => server.chats().length === 1);
    session.speechStarted();
    await until(() => server.aborted.count === 1);
    speaks();
    session.speechEnded(900);
    await until(() => said().includes("Tomorrow, then."));
    const told = server.chats()[1]!.messages.filter(({ role }) => role === "user");
    expect(told.map(({ content }) => content)).toEqual(["I like umbrellas.", "But not today."]);
    expect(meter.troubles).toEqual([]);
  });

  it("says nothing to a noise, and something to speech that can't be made out", async () => {
    const { session, hears, until, said } = await greeted();
    server.script("stt", { says: "" }, { says: "" });
    session.speechStarted();
    hears(400);
    session.speechEnded(400);
    await until(() => server.requests.some(({ role }) => role === "stt"));
    session.speechStarted();
    hears(900);
    session.speechEnded(900);
    await until(() => said().length === 2);
    expect(said()[1]).toBe("You said: [inaudible]");
  });

  it("runs tools under ids of its own, and says once what came of them", async () => {
    const { session, speaks, until, of, tools, said } = await greeted();
    server.script(
      "llm",
      {
        says: "One moment.",
        calls: [
          { name: "book_appointment", arguments: '{"day":"today","time":"10:00"}' },
          { name: "book_appointment", arguments: "{broken" },
        ],
      },
      { says: "It is booked." },
    );
    speaks();
    await until(() => of("tool_call").length === 2);
    expect(tools()).toEqual([
      ["book_appointment", { day: "today", time: "10:00" }],
      ["book_appointment", "{broken"],
    ]);
    const [one, two] = of("tool_call");
    session.toolResult(one!.id, { ok: true, result: { booked: true } });
    session.toolResult(two!.id, { ok: false, error: "Wrong arguments" });
    await until(() => said().length === 3);
    expect(server.chats()[1]!.messages.slice(-3)).toMatchObject([
      { role: "assistant", content: "One moment.", tool_calls: [{ id: one!.id }, { id: two!.id }] },
      { role: "tool", tool_call_id: one!.id, content: '{"booked":true}' },
      { role: "tool", tool_call_id: two!.id, content: '{"error":"Wrong arguments"}' },
    ]);
    expect(server.chats()).toHaveLength(2);
  });

  it("records an opt-out that the model would overhear", async () => {
    const { speaks, until, tools } = await greeted();
    server.script("stt", { says: "Take me off your list." });
    speaks();
    await until(() => tools().length === 1);
    expect(tools()).toEqual([["record_opt_out", { evidence: "Take me off your list." }]]);
  });

  it("doesn't answer a wish not to be called again, unless that couldn't be recorded", async () => {
    const { session, speaks, until, of, said } = await greeted();
    session.speechStarted();
    session.said("Stop calling me.");
    session.speechEnded(900);
    speaks();
    const [call] = of("tool_call");
    await until(() => of("heard").length === 1);
    expect(server.chats()).toEqual([]);
    session.toolResult(call!.id, { ok: false, error: "not now" });
    speaks();
    await until(() => said().length === 2);
  });

  it.each([
    ["stt", { silent: true }, "timeout"],
    ["stt", { garbage: true }, "garbage"],
    ["stt", { status: 503 }, "refused"],
    ["llm", { silent: true }, "timeout"],
    ["llm", { status: 429, headers: { "retry-after": "0" } }, "rate_limited"],
    ["llm", { garbage: true }, "half_answer"],
    ["llm", { halfOf: "Well", next: "silence" }, "silent"],
    ["llm", { halfOf: "Well", next: "drop" }, "dropped"],
    ["llm", { says: "" }, "half_answer"],
    ["tts", { status: 500 }, "refused"],
  ] as const)("tries again when %s does %j", async (role, turn, kind) => {
    const { speaks, until, said, of } = await greeted();
    server.script(role, turn);
    speaks();
    await until(() => said().at(-1) === "You said: Something.");
    expect(meter.troubles).toEqual([kind]);
    expect(of("failed")).toEqual([]);
  });

  it("keeps to what was said of an answer that breaks off", async () => {
    const { speaks, until, said, of } = await greeted();
    server.script("llm", { halfOf: "One two. Three four five six seven eight", next: "drop" });
    speaks();
    await until(() => of("spoken").length === 2);
    expect(said()).toEqual(["Hello there.", "One two."]);
    expect(server.chats()).toHaveLength(1);
  });

  it("goes on with an embedded voice when the server's can't speak", async () => {
    const { speaks, until, said } = await greeted();
    server.script("tts", { silent: true }, { silent: true });
    server.script("llm", { says: "One two three." });
    speaks();
    await until(() => said().at(-1) === "One two three.");
    expect(speech.spoken).toContain("One two three.");
    expect(meter.troubles).toContain("timeout");
    const asked = server.sentences().length;
    speaks();
    await until(() => said().length === 3);
    expect(server.sentences()).toHaveLength(asked);
  });

  it("asks once to have it said again, and fails when it still hears nothing", async () => {
    const { speaks, until, said, of } = await greeted();
    server.script("stt", { status: 500 }, { status: 500 }, { status: 401 });
    speaks();
    await until(() => said().length === 2);
    expect(said()[1]).toContain("didn't catch that");
    speaks();
    await until(() => of("failed").length === 1);
    expect(of("failed")[0]!.message).toBe("a model server answered 401");
  });

  it("fails when the model doesn't answer, within what a caller bears", async () => {
    const { speaks, until, of } = await greeted();
    server.script("llm", { silent: true }, { silent: true });
    speaks();
    await until(() => of("failed").length === 1);
    expect(of("failed")[0]!.message).toBe("a model server didn't answer in time");
    expect(server.chats()).toHaveLength(2);
  });

  it("can't start when nobody is there, or the key isn't taken", async () => {
    server = await modelServer();
    engine = engineOf({ url: "http://127.0.0.1:9/v1" });
    await expect(engineTalk(engine)).rejects.toBeInstanceOf(EngineUnavailable);
  });
});
