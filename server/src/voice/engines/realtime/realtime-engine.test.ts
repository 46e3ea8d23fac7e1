import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../clock.ts";
import { countingMeter } from "../../../testing/voice/counting-meter.ts";
import { engineTalk } from "../../../testing/voice/engine-talk.ts";
import { type RealtimeServer, realtimeServer } from "../../../testing/voice/realtime-server.ts";
import { engineContract } from "../engine.contract.ts";
import { type Conversation, type EngineSession, EngineUnavailable, type VoiceEngine } from "../engine.ts";
import { createRealtimeEngine, type RealtimeEngineOptions } from "./create-realtime-engine.ts";

const meter = countingMeter();
const engineOf = (server: { url: string }, given: Partial<RealtimeEngineOptions> = {}) =>
  createRealtimeEngine({
    clock: systemClock(),
    meter,
    url: server.url,
    apiKey: "secret-key",
    model: "some-model",
    transcriptionModel: "some-ears",
    voices: { clara: "marin" },
    ...given,
    times: { connectWithinMs: 1_500, answerWithinMs: 400, ...given.times },
  });
const speak = (session: EngineSession) => {
  session.speechStarted();
  for (let frame = 0; frame < 45; frame++) session.hear(new Int16Array(160).fill(4_000));
  session.speechEnded(900);
};

engineContract("the realtime engine", async () => {
  const server = await realtimeServer();
  const engine = engineOf(server);
  return {
    engine,
    provokeAnswer: speak,
    provokeTool(session, tool) {
      server.script({ calls: [{ name: tool, arguments: '{"evidence":"not again"}' }] });
      speak(session);
    },
    async close() {
      await engine.close();
      await server.close();
    },
  };
});

describe("over a realtime server", () => {
  let server: RealtimeServer;
  let engine: VoiceEngine;
  const open: EngineSession[] = [];
  const talk = async (
    given: Partial<Conversation> & { plays?: boolean } = {},
    options: { server?: Parameters<typeof realtimeServer>[0]; engine?: Partial<RealtimeEngineOptions> } = {},
  ) => {
    server = await realtimeServer(options.server);
    engine = engineOf(server, options.engine);
    const made = await engineTalk(engine, given);
    open.push(made.session);
    return made;
  };
  const greeted = async (...given: Parameters<typeof talk>) => {
    const made = await talk(...given);
    made.session.begin();
    await made.until(() => made.of("spoken").length === 1);
    return made;
  };
  afterEach(async () => {
    for (const session of open.splice(0)) session.close();
    await engine.close();
    await server.close();
    meter.troubles.length = 0;
  });

  it("asks for µ-law, transcripts, our voice, the granted tools and no turn detection, with the key in a header", async () => {
    await talk({ context: { first_name: "Ada" } });
    const [update] = server.of("session.update");
    expect(update!.session).toMatchObject({
      type: "realtime",
      audio: {
        input: {
          format: { type: "audio/pcmu" },
          transcription: { model: "some-ears" },
          turn_detection: null,
        },
        output: { format: { type: "audio/pcmu" }, voice: "marin" },
      },
    });
    const { instructions, tools } = update!.session as { instructions: string; tools: { name: string }[] };
    expect(instructions).toContain("You sell umbrellas.");
    expect(instructions).toContain('{"first_name":"Ada"}');
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["end_call", "record_opt_out"]));
    expect(server.connections[0]!.headers.authorization).toBe("Bearer secret-key");
    expect(server.connections[0]!.path).toContain("model=some-model");
  });

  it("sends speech with its beginning, and tells what was heard and what it says", async () => {
    const { speaks, hears, until, of, said } = await greeted();
    hears(400);
    server.hears("What is this about?");
    server.script({ says: "Umbrellas." });
    speaks();
    await until(() => said().length === 2);
    expect(of("heard")).toEqual([{ type: "heard", text: "What is this about?", source: "stt" }]);
    expect(said()).toEqual(["Hello there.", "Umbrellas."]);
    const bytes = server
      .of("input_audio_buffer.append")
      .reduce((sum, { audio }) => sum + Buffer.from(String(audio), "base64").length, 0);
    expect(bytes).toBe(8 * (400 + 900));
    expect(meter.stages).toContain("turn");
    expect(meter.counted.output).toBeGreaterThan(0);
  });

  it("doesn't send what was only a noise", async () => {
    const { session, hears, speaks } = await greeted();
    speaks(160);
    hears(200);
    expect(server.of("input_audio_buffer.commit")).toEqual([]);
    session.close();
  });

  it("cuts the server's memory where the person cut in", async () => {
    const { session, speaks, until, of, said } = await greeted({ plays: false });
    session.played(of("spoken")[0]!.utteranceId);
    server.script({ halfOf: "This is a very long story about umbrellas.", next: "silence" });
    speaks();
    await until(() => of("audio").some(({ utteranceId }) => utteranceId === "response-2-1"));
    session.interrupted("response-2-1", 700);
    session.speechStarted();
    // So the turn of the transcript can be cut to what was played.
    expect(said()[1]).toBe("This is a very long s");
    expect(of("spoken").at(-1)!.utteranceId).toBe("response-2-1");
    await until(() => server.of("conversation.item.truncate").length === 1);
    expect(server.of("conversation.item.truncate")[0]).toMatchObject({ content_index: 0, audio_end_ms: 700 });
    expect(server.of("response.cancel")).toHaveLength(1);
    session.speechEnded(100);
    await until(() => said().length === 3);
  });

  it("gives up an answer that nothing was heard of when the person goes on speaking", async () => {
    const { session, speaks, until, said } = await greeted();
    server.script({ silent: true }, { says: "Both answered." });
    speaks();
    await until(() => server.of("response.create").length === 2);
    session.speechStarted();
    await until(() => server.of("response.cancel").length === 1);
    session.speechEnded(700);
    await until(() => said().length === 2);
    expect(said()[1]).toBe("Both answered.");
  });

  it("runs tools between two answers, and says once what came of them all", async () => {
    const { session, speaks, until, of, said, tools } = await greeted();
    server.script({
      says: "One moment.",
      calls: [
        { name: "book_appointment", arguments: '{"day":"today","time":"10:00"}', callId: "a" },
        { name: "book_appointment", arguments: "{broken", callId: "b" },
      ],
    });
    speaks();
    await until(() => of("tool_call").length === 2);
    expect(tools()).toEqual([
      ["book_appointment", { day: "today", time: "10:00" }],
      ["book_appointment", "{broken"],
    ]);
    server.script({ says: "It is booked." });
    session.toolResult("a", { ok: true, result: { booked: true } });
    session.toolResult("b", { ok: false, error: "Wrong arguments" });
    await until(() => said().length === 3);
    expect(server.of("conversation.item.create").map(({ item }) => item)).toEqual([
      { type: "function_call_output", call_id: "a", output: '{"booked":true}' },
      { type: "function_call_output", call_id: "b", output: '{"error":"Wrong arguments"}' },
    ]);
    expect(server.of("response.create")).toHaveLength(3);
  });

  it("records an opt-out that the model overheard", async () => {
    const { speaks, until, of, tools } = await greeted();
    server.hears("Please stop calling me.");
    server.script({ says: "Have you heard about our umbrellas?" });
    speaks();
    await until(() => of("tool_call").length === 1);
    expect(tools()).toEqual([["record_opt_out", { evidence: "Please stop calling me." }]]);
  });

  it("takes keys and words that the carrier knows as text", async () => {
    const { session, hears, until, said, of } = await greeted();
    session.keyed("1");
    session.keyed("2");
    hears(1_100);
    await until(() => said().length === 2);
    expect(said()[1]).toContain("keys 12");
    session.speechStarted();
    session.said("I like umbrellas.");
    session.speechEnded(900);
    await until(() => said().length === 3);
    expect(said()[2]).toBe("You said: I like umbrellas..");
    expect(of("heard")).toEqual([]);
  });

  it("asks into silence, and ends the call when nobody answers", async () => {
    const { hears, until, tools, said } = await greeted();
    for (const count of [2, 3, 4]) {
      hears(10_100);
      await until(() => said().length === count);
    }
    expect(tools()).toEqual([["end_call", { reason: "Nobody was heard any more." }]]);
  });

  it("goes on with the conversation on a new connection when the old one breaks", async () => {
    const { session, speaks, until, said, events } = await greeted();
    server.hears("My name is Ada.");
    speaks();
    await until(() => said().length === 2);
    session.speechStarted();
    server.drop();
    for (let frame = 0; frame < 40; frame++) session.hear(new Int16Array(160).fill(4_000));
    await until(() => server.of("input_audio_buffer.append").at(-1)?.connection === 1);
    session.speechEnded(800);
    server.script({ says: "Still here, Ada." });
    await until(() => said().length === 3);
    const told = server.received.filter(
      ({ connection, type }) => connection === 1 && type === "conversation.item.create",
    );
    expect(told.map(({ item }) => (item as { content: object[] }).content[0])).toEqual([
      { type: "output_text", text: "Hello there." },
      { type: "input_text", text: "My name is Ada." },
      { type: "output_text", text: "You said: My name is Ada.." },
    ]);
    expect(events.some(({ type }) => type === "failed")).toBe(false);
  });

  it("takes up again what was cut off in the middle", async () => {
    const { speaks, until, said, of } = await greeted();
    server.script({ halfOf: "This is a long story.", next: "drop" }, { says: "As I said, a long story." });
    speaks();
    await until(() => said().length === 3);
    expect(said().slice(1)).toEqual(["This is a l", "As I said, a long story."]);
    expect(of("spoken")).toHaveLength(3);
    expect(meter.troubles).toContain("dropped");
  });

  it("takes up again what the server itself ended in the middle, unless a filter did", async () => {
    const { speaks, until, said, of } = await greeted();
    server.script(
      { halfOf: "This is a long story.", next: "max_output_tokens" },
      { says: "As I said, a long story." },
    );
    speaks();
    await until(() => said().length === 3);
    expect(said().slice(1)).toEqual(["This is a l", "As I said, a long story."]);
    server.script({ halfOf: "This is a rude one.", next: "content_filter" });
    speaks();
    await until(() => of("spoken").length === 4);
    speaks();
    await until(() => said().length === 5);
    expect(said().slice(3)).toEqual(["This is a ", "You said: Something.."]);
  });

  it("doesn't leave the person in silence when the server has nothing to say, but needs no words after a tool", async () => {
    const { speaks, until, said, of, session } = await greeted();
    server.script(
      { says: "It's done.", calls: [{ name: "book_appointment", arguments: "{}" }] },
      { says: "" },
    );
    speaks();
    await until(() => of("tool_call").length === 1);
    server.script({ says: "" });
    session.toolResult(of("tool_call")[0]!.id, { ok: true, result: {} });
    await until(() => server.of("response.create").length === 4);
    speaks();
    await until(() => said().length === 3);
    expect(of("failed")).toEqual([]);
    server.script({ says: "" }, { says: "" });
    speaks();
    await until(() => of("failed").length > 0);
    expect(of("failed")).toEqual([{ type: "failed", message: "the realtime server said nothing" }]);
  });

  it("exchanges its session for a new one before the server ends it", async () => {
    const { speaks, until, said } = await greeted({}, { engine: { times: { sessionMs: 1 } } });
    speaks();
    await until(() => said().length === 2 && server.connections.length === 2);
    speaks();
    await until(() => said().length === 3);
    expect(meter.troubles).toEqual([]);
  });

  it.each([
    ["an open and silent socket", { silent: true } as const, "silent"],
    ["half an answer, then silence", { halfOf: "Once upon a time", next: "silence" } as const, "silent"],
    ["a rate limit", { fails: "rate_limit_exceeded" } as const, "rate_limited"],
    ["an error", { fails: "server_error" } as const, "failed"],
    ["garbage", { garbage: 25 } as const, "garbage"],
  ])("tries again after %s", async (_, turn, kind) => {
    const { speaks, until, said, of } = await greeted();
    server.script(turn, { says: "Here I am." });
    speaks();
    await until(() => said().at(-1) === "Here I am.");
    expect(meter.troubles).toContain(kind);
    expect(of("failed")).toEqual([]);
  });

  it("fails when nothing helps, once, and says no secret", async () => {
    const { speaks, until, of } = await greeted();
    server.script({ silent: true }, { silent: true }, { silent: true }, { silent: true });
    speaks();
    await until(() => of("failed").length > 0);
    expect(of("failed")).toEqual([{ type: "failed", message: "the realtime server gave no answer" }]);
    const refused = await greeted();
    server.script({ fails: "insufficient_quota" });
    refused.speaks();
    await refused.until(() => refused.of("failed").length > 0);
    expect(refused.of("failed")[0]!.message).toBe(
      "the realtime server refused an answer: insufficient_quota",
    );
  });

  it("fails when a lost connection can't be had again", async () => {
    const { until, of } = await greeted();
    server.refuse({ status: 401 }, 9);
    server.drop();
    await until(() => of("failed").length > 0);
    expect(JSON.stringify(of("failed"))).not.toContain("secret");
  });

  it("speaks the protocol as it was before, too", async () => {
    const { speaks, until, said } = await greeted({ temperature: 2 }, { server: { older: true } });
    speaks();
    await until(() => said().length === 2);
    expect(server.of("session.update")[1]!.session).toMatchObject({
      input_audio_format: "g711_ulaw",
      output_audio_format: "g711_ulaw",
      temperature: 1.2,
    });
  });

  it("leaves a server that doesn't say goodbye", async () => {
    const { session } = await greeted({}, { server: { saysGoodbye: false } });
    expect(server.live()).toBe(1);
    session.close();
    await expect.poll(() => server.live(), { timeout: 4_000 }).toBe(0);
  });

  it("can't start where nobody answers, where it is refused, and where settings aren't taken", async () => {
    server = await realtimeServer({ takesSettings: false });
    engine = engineOf(server, { times: { connectWithinMs: 300 } });
    const start = () => engineTalk(engine);
    await expect(start()).rejects.toBeInstanceOf(EngineUnavailable);
    server.refuse("never");
    await expect(start()).rejects.toThrow("in time");
    // The client asks once more by itself after a 401.
    server.refuse({ status: 401 }, 2);
    await expect(start()).rejects.toThrow("401");
    const nobody = engineOf({ url: "ws://127.0.0.1:9/v1/realtime" }, { times: { connectWithinMs: 300 } });
    await expect(engineTalk(nobody)).rejects.toBeInstanceOf(EngineUnavailable);
    await nobody.close();
  });

  it("tries again when it is told to wait, but not for longer than a caller would", async () => {
    server = await realtimeServer();
    engine = engineOf(server);
    server.refuse({ status: 429, headers: { "retry-after": "0" } });
    const { session } = await engineTalk(engine);
    session.close();
    expect(meter.troubles).toEqual(["rate_limited"]);
    server.refuse({ status: 429, headers: { "retry-after": "60" } }, 2);
    await expect(engineTalk(engine)).rejects.toThrow("429");
    expect(server.connections).toHaveLength(1);
  });
});
