// One reason for its length: the three stages of a turn share one conversation, and are given up together.
import type { Dispatcher } from "undici";
import { agentInstructions, directions, INAUDIBLE } from "../agent-instructions.ts";
import type { Conversation } from "../engine.ts";
import type { EngineMeter } from "../engine-meter.ts";
import type { Emit, Responder } from "../turn-taking/responder.ts";
import { createResponseQueue, type ResponseRequest } from "../turn-taking/response-queue.ts";
import { createChatHistory, type Said } from "./chat-history.ts";
import { complete } from "./complete.ts";
import { type ModelServer, ModelTrouble, troubleOf, twice } from "./model-request.ts";
import { createSentenceSplitter } from "./sentence-splitter.ts";
import { createSpokenAnswer, type SpokenAnswer } from "./spoken-answer.ts";
import type { Synthesizer } from "./synthesize.ts";
import { transcribe } from "./transcribe.ts";

export interface PipelineResponderDeps {
  conversation: Conversation;
  stt: ModelServer;
  llm: ModelServer;
  synthesizer: Synthesizer;
  dispatcher: Dispatcher;
  withinMs: number;
  meter: EngineMeter;
}

const ENGINE = "pipeline";
const DIDNT_CATCH = "I'm sorry, I didn't catch that. Could you say it again, please?";
/** Speeches in a row that couldn't be transcribed. */
const MOST_UNHEARD = 2;
/** 60 s: of a longer speech the end. */
const MOST_FRAMES = 3_000;
/** Older utterances have been played. */
const MOST_KEPT = 16;

export function createPipelineResponder(deps: PipelineResponderDeps, emit: Emit): Responder {
  const { conversation, stt, llm, synthesizer, dispatcher, withinMs, meter } = deps;
  const history = createChatHistory(agentInstructions(conversation));
  const answers = new Map<string, { answer: SpokenAnswer; abort: () => void }>();
  const over = new AbortController();
  let frames: Int16Array[] | null = null;
  /** The speeches that are being transcribed, one after the other. */
  let hearing: Promise<void> = Promise.resolve();
  let transcribing = 0;
  let unheard = 0;
  let isUnheardTold = true;
  /** There is something that hasn't been answered. */
  let hasNews = false;
  let askedAt: number | null = null;
  let callCount = 0;
  let utteranceCount = 0;

  const trouble = (kind: Parameters<EngineMeter["trouble"]>[1]) => meter.trouble(ENGINE, kind);
  const secondsSince = (at: number) => (performance.now() - at) / 1_000;
  const fail = (error: unknown) => {
    if (over.signal.aborted) return;
    over.abort();
    queue.close();
    emit({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  };

  async function hear(samples: Int16Array): Promise<void> {
    const { signal } = over;
    const startedAt = performance.now();
    try {
      const text = await twice(trouble, signal, () =>
        transcribe(samples, { server: stt, dispatcher, withinMs, signal }),
      );
      meter.stage(ENGINE, "stt", secondsSince(startedAt));
      unheard = 0;
      if (text === "") return;
      history.user(text);
      hasNews = true;
      emit({ type: "heard", text, source: "stt" });
    } catch (error) {
      if (signal.aborted) return;
      isUnheardTold = false;
      if (++unheard >= MOST_UNHEARD) throw error;
    }
  }

  function spokenAnswer(
    source: "model" | "script",
    said: Said,
    signal: AbortSignal,
    id?: string,
  ): SpokenAnswer {
    const utteranceId = id ?? `utterance-${++utteranceCount}`;
    const startedAt = askedAt;
    let isFirst = true;
    const answer = createSpokenAnswer({
      utteranceId,
      source,
      synthesizer,
      signal,
      emit,
      onSaid(text) {
        said.text = text;
      },
      onAudio(seconds) {
        meter.stage(ENGINE, "tts", seconds);
        if (isFirst && startedAt !== null) {
          meter.stage(ENGINE, "turn", secondsSince(startedAt));
          askedAt = null;
        }
        isFirst = false;
      },
    });
    answers.set(utteranceId, { answer, abort: () => queue.abortCurrent() });
    if (answers.size > MOST_KEPT) answers.delete(answers.keys().next().value as string);
    return answer;
  }

  async function speakLine(text: string, signal: AbortSignal, id?: string): Promise<void> {
    const answer = spokenAnswer("script", history.agent(), signal, id);
    answer.say(text);
    await answer.end();
  }

  /** One answer of the model's, spoken as it comes. @returns false when there was nothing in it */
  async function speakAnswer(
    signal: AbortSignal,
    direction: string | undefined,
    withTools: boolean,
  ): Promise<boolean> {
    const startedAt = performance.now();
    const said = history.agent();
    const answer = spokenAnswer("model", said, signal);
    const splitter = createSentenceSplitter();
    let calls: Said["calls"] = [];
    const say = (sentences: string[]) => {
      for (const sentence of sentences) {
        if (!answer.hasSentences) meter.stage(ENGINE, "llm", secondsSince(startedAt));
        answer.say(sentence);
      }
    };
    try {
      const events = complete({
        server: llm,
        dispatcher,
        withinMs,
        signal,
        messages: history.messages(direction),
        tools: withTools ? conversation.tools : [],
        temperature: conversation.temperature,
      });
      for await (const event of events) {
        if (event.type === "text") say(splitter.push(event.text));
        else if (event.type === "usage") {
          meter.tokens(ENGINE, "input", event.input);
          meter.tokens(ENGINE, "output", event.output);
        } else calls = event.calls.map((call) => ({ ...call, id: `call-${++callCount}` }));
      }
      say(splitter.flush());
    } catch (error) {
      signal.throwIfAborted();
      if (!answer.hasSentences) throw error;
      // Whole sentences of it have been said: they stand.
      trouble(troubleOf(error).kind);
    }
    await answer.end();
    said.calls = calls;
    for (const { id, name, arguments: args } of calls)
      emit({ type: "tool_call", id, name, arguments: parsed(args) });
    return answer.hasSentences || calls.length > 0;
  }

  const respond = (signal: AbortSignal, direction?: string, withTools = true) =>
    twice(trouble, signal, async () => {
      if (!(await speakAnswer(signal, direction, withTools)))
        throw new ModelTrouble("half_answer", "the model said nothing");
    });

  async function run(request: ResponseRequest, signal: AbortSignal): Promise<void> {
    switch (request.kind) {
      case "greeting":
        return request.text === ""
          ? respond(signal, directions.greet, false)
          : speakLine(request.text, signal);
      case "sentence":
        return speakLine(request.text, signal, request.utteranceId);
      case "direction":
        return respond(signal, request.text);
      case "answer": {
        await Promise.race([hearing, aborted(signal)]);
        if (signal.aborted) return;
        if (!isUnheardTold) {
          isUnheardTold = true;
          return speakLine(DIDNT_CATCH, signal);
        }
        if (!hasNews && !request.always) return;
        if (!hasNews) history.user(INAUDIBLE);
        hasNews = false;
        try {
          await respond(signal);
        } catch (error) {
          // What was given up for the person's next words is answered with them.
          hasNews = true;
          throw error;
        }
      }
    }
  }

  const queue = createResponseQueue(run, fail);
  return {
    speechBegan(before) {
      frames = before.length > 0 ? [before] : [];
    },
    speechWent(samples) {
      if (!frames) return;
      frames.push(samples.slice());
      if (frames.length > MOST_FRAMES) frames.shift();
    },
    speechEnded() {
      if (!frames) return;
      const samples = joined(frames);
      frames = null;
      transcribing++;
      hearing = hearing.then(() => hear(samples)).finally(() => transcribing--);
      hearing.catch(fail);
    },
    speechDropped() {
      frames = null;
    },
    userText(text) {
      history.user(text);
      hasNews = true;
    },
    answer(always) {
      askedAt = performance.now();
      queue.push({ kind: "answer", always });
    },
    greet: (text) => queue.push({ kind: "greeting", text }),
    direct: (text) => queue.push({ kind: "direction", text }),
    say: (text, utteranceId) => queue.push({ kind: "sentence", text, utteranceId }),
    stop: queue.stop,
    interrupted(utteranceId, playedMs) {
      const known = answers.get(utteranceId);
      if (!known) return;
      if (known === [...answers.values()].at(-1)) known.abort();
      known.answer.cut(playedMs);
    },
    toolResult(callId, result) {
      history.result(callId, JSON.stringify(result.ok ? result.result : { error: result.error }));
      hasNews = true;
    },
    get busy() {
      return queue.busy || frames !== null || transcribing > 0;
    },
    close() {
      over.abort();
      queue.close();
    },
  };
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const samples = new Int16Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    samples.set(frame, at);
    at += frame.length;
  }
  return samples;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function parsed(json: string): unknown {
  try {
    return json.trim() === "" ? {} : JSON.parse(json);
  } catch {
    // The session's check of the arguments refuses it, and the model is told.
    return json;
  }
}
