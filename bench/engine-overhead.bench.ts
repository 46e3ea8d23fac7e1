import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fetch, WebSocket } from "undici";
import { systemClock } from "../server/src/clock.ts";
import type { EngineSession, VoiceEngine } from "../server/src/voice/engines/engine.ts";
import type { EngineMeter } from "../server/src/voice/engines/engine-meter.ts";
import { createPipelineEngine } from "../server/src/voice/engines/pipeline/create-pipeline-engine.ts";
import { createRealtimeEngine } from "../server/src/voice/engines/realtime/create-realtime-engine.ts";
import { createMediaClock } from "../server/src/voice/media/media-clock.ts";
import { FRAME_SAMPLES, SAMPLE_RATE } from "../server/src/voice/media/media-leg.ts";
import { createSpeech, wavFile } from "../server/src/voice/speech/index.ts";
import { quantile, report } from "./report.ts";

/**
 * What an engine of ours adds to a turn: from when it is told that the person's speech has ended (the voice activity's
 * hangover is over then) to the first audio it hands over, with servers in another process that answer at once.
 * The limit: the same exchanges by a client that does nothing else, one at a time.
 */
const CONVERSATIONS = 10;
const TURNS = 15;
const SPEECH_FRAMES = 60;
const PAUSE_FRAMES = 40;
const AIM_MS = 100;

const child = fork(fileURLToPath(new URL("./model-servers-process.js", import.meta.url)));
const [urls] = (await once(child, "message")) as [{ models: string; realtime: string }];
const speech = createSpeech({ workerFile: new URL("../server/dist/flite-worker.js", import.meta.url) });
const mediaClock = createMediaClock();
const clock = systemClock();
const nothing = () => undefined;
const meter: EngineMeter = { stage: nothing, trouble: nothing, tokens: nothing, fellBack: nothing };
const server = { url: urls.models, apiKey: null, model: "stub" };
const sound = new Int16Array(FRAME_SAMPLES).map((_, at) => 6_000 * Math.sin(at / 3));
const silence = new Int16Array(FRAME_SAMPLES);

const engines: { engine: VoiceEngine; bare: () => Promise<number> }[] = [
  {
    engine: createRealtimeEngine({
      clock,
      meter,
      url: urls.realtime,
      apiKey: null,
      model: "stub",
      transcriptionModel: "stub",
      voices: {},
    }),
    bare: bareRealtime,
  },
  {
    engine: createPipelineEngine({
      clock,
      meter,
      speech,
      stt: server,
      llm: server,
      tts: { ...server, voices: {} },
    }),
    bare: barePipeline,
  },
];

const lines = [];
for (const { engine, bare } of engines) {
  const limits: number[] = [];
  for (let exchange = 0; exchange < 40; exchange++) limits.push(await bare());
  const turns = (
    await Promise.all(Array.from({ length: CONVERSATIONS }, (_, at) => converse(engine, at)))
  ).flat();
  const p95 = quantile(turns, 0.95);
  lines.push({
    what: `${engine.name}: end of speech to the first audio handed over, ${CONVERSATIONS} conversations at once`,
    measured: `p50 ${quantile(turns, 0.5).toFixed(1)}, p95 ${p95.toFixed(1)}, worst ${Math.max(...turns).toFixed(1)} ms of ${turns.length}`,
    limit: `a bare client, one at a time: p50 ${quantile(limits, 0.5).toFixed(1)}, p95 ${quantile(limits, 0.95).toFixed(1)} ms`,
    reach: `p95 ≤ ${AIM_MS} ms`,
    reached: turns.length === CONVERSATIONS * TURNS && p95 <= AIM_MS,
  });
  await engine.close();
}
report("engine-overhead", lines);
mediaClock.close();
await speech.close();
child.disconnect();

/** One person who speaks and listens, turn by turn, in real time. */
async function converse(engine: VoiceEngine, index: number): Promise<number[]> {
  const turns: number[] = [];
  let endedAt = 0;
  const session: EngineSession = await engine.start({
    callId: `call-${index}`,
    instructions: "Be brief.",
    greeting: "Hello.",
    firstSpeaker: "agent",
    voice: "clara",
    temperature: 0.7,
    tools: [],
    context: {},
    emit(event) {
      if (event.type === "audio" && endedAt > 0) {
        turns.push(performance.now() - endedAt);
        endedAt = 0;
      }
      if (event.type === "spoken") session.played(event.utteranceId);
      if (event.type === "failed") throw new Error(event.message);
    },
  });
  session.begin();
  let frame = -PAUSE_FRAMES - index * 7;
  await new Promise<void>((resolve) => {
    const stop = mediaClock.add(() => {
      if (frame === 0) session.speechStarted();
      session.hear(frame >= 0 && frame < SPEECH_FRAMES ? sound : silence);
      if (frame === SPEECH_FRAMES) {
        endedAt = performance.now();
        session.speechEnded(SPEECH_FRAMES * 20);
      }
      if (++frame < SPEECH_FRAMES + PAUSE_FRAMES) return;
      frame = 0;
      if (turns.length < TURNS) return;
      stop();
      resolve();
    });
  });
  session.close();
  return turns;
}

async function bareRealtime(): Promise<number> {
  const socket = new WebSocket(urls.realtime);
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  socket.send(JSON.stringify({ type: "session.update", session: { type: "realtime" } }));
  const audio = Buffer.alloc((SAMPLE_RATE * SPEECH_FRAMES) / 50, 0xff).toString("base64");
  socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
  const askedAt = performance.now();
  const answered = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      if (String(data).includes("audio.delta")) resolve();
    });
  });
  socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
  socket.send(JSON.stringify({ type: "response.create", response: {} }));
  await answered;
  const took = performance.now() - askedAt;
  socket.close();
  return took;
}

async function barePipeline(): Promise<number> {
  const askedAt = performance.now();
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${urls.models}${path}`, { method: "POST", body: body as string });
    return answer.body?.getReader().read();
  };
  await post("/audio/transcriptions", wavFile(new Int16Array(FRAME_SAMPLES * SPEECH_FRAMES), SAMPLE_RATE));
  const messages = [{ role: "user", content: "Something." }];
  await post("/chat/completions", JSON.stringify({ messages }));
  await post("/audio/speech", JSON.stringify({ input: "You said: Something." }));
  return performance.now() - askedAt;
}
