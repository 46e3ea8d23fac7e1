import { Agent, request } from "undici";
import type { Clock } from "../../../clock.ts";
import type { Speech } from "../../speech/speech.ts";
import { EngineUnavailable, type VoiceEngine } from "../engine.ts";
import type { EngineMeter } from "../engine-meter.ts";
import { createTurnTaking } from "../turn-taking/create-turn-taking.ts";
import type { ModelServer } from "./model-request.ts";
import { createPipelineResponder } from "./pipeline-responder.ts";
import { createSynthesizer } from "./synthesize.ts";

export interface PipelineEngineOptions {
  clock: Clock;
  meter: EngineMeter;
  /** Stays its owner's. Speaks when there is no server for it, or none that can. */
  speech: Speech;
  stt: ModelServer;
  llm: ModelServer;
  tts: (ModelServer & { voices: Readonly<Record<string, string>> }) | null;
  /** To the head of an answer, and from one part of it to the next. */
  withinMs?: number;
}

const WITHIN_MS = 5_000;
const REACHED_WITHIN_MS = 2_000;
/** Calls that start soon after one another don't each ask whether the servers are there. */
const REACHED_FOR_MS = 15_000;

/** Speech to text, a chat model and text to speech, each behind a server that speaks OpenAI's HTTP interface. */
export function createPipelineEngine(options: PipelineEngineOptions): VoiceEngine {
  const { clock, meter, speech, stt, llm, tts, withinMs = WITHIN_MS } = options;
  const dispatcher = new Agent({
    connect: { timeout: REACHED_WITHIN_MS },
    keepAliveTimeout: 30_000,
  });
  let reachedUntil = Number.NEGATIVE_INFINITY;

  /** Whether anybody answers there who would take the key: what it answers differs from server to server. */
  async function reach({ url, apiKey }: ModelServer): Promise<void> {
    let status: number;
    try {
      const { statusCode, body } = await request(`${url}/models`, {
        dispatcher,
        headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
        signal: AbortSignal.timeout(REACHED_WITHIN_MS),
      });
      status = statusCode;
      body.on("error", () => undefined).destroy();
    } catch (error) {
      meter.trouble("pipeline", "timeout");
      throw new EngineUnavailable("A model server can't be reached.", { cause: error });
    }
    if (status !== 401 && status !== 403 && status < 500) return;
    meter.trouble("pipeline", "refused");
    throw new EngineUnavailable(`A model server answered ${status}.`);
  }

  return {
    name: "pipeline",
    transcribes: true,
    async start(conversation) {
      if (clock.now() >= reachedUntil) {
        await Promise.all([reach(stt), reach(llm)]);
        reachedUntil = clock.now() + REACHED_FOR_MS;
      }
      const voice = { id: conversation.voice, name: tts?.voices[conversation.voice] ?? conversation.voice };
      const synthesizer = createSynthesizer({ server: tts, dispatcher, withinMs, speech, meter, voice });
      const deps = { conversation, stt, llm, synthesizer, dispatcher, withinMs, meter };
      return createTurnTaking(conversation, (emit) => createPipelineResponder(deps, emit));
    },
    close: () => dispatcher.destroy(),
  };
}
