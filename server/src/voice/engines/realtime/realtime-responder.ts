import { agentInstructions, directions, sayExactly } from "../agent-instructions.ts";
import type { EngineMeter } from "../engine-meter.ts";
import type { Emit, Responder } from "../turn-taking/responder.ts";
import { createResponseQueue, type ResponseRequest } from "../turn-taking/response-queue.ts";
import { createConnection } from "./connection.ts";
import type { ServerMessage } from "./open-realtime-session.ts";
import type { RealtimeDeps } from "./realtime-options.ts";
import { createResponseRun, type ResponseRun, type RunOutcome } from "./response-run.ts";
import { createSpeechUpload } from "./speech-upload.ts";
import { createSpokenRecord, itemMessage, type RecordItem } from "./spoken-record.ts";
import { createUtterances } from "./utterances.ts";

const ENGINE = "realtime";
const MOST_ATTEMPTS = 3;
const MOST_EMPTY = 2;
const RETRY_AFTER_MS = 300;
const RATE_LIMITED_RETRY_MS = 1_500;
/** So long may a server take to end a response that was cancelled. */
const CANCELLED_WITHIN_MS = 2_000;
const FATAL_CODES = /quota|api_key|authentication|permission|model_not_found/;

/**
 * Opens the session, and keeps the conversation over as many connections as it takes.
 * @returns a function that makes the responder
 */
export async function openRealtimeResponder(deps: RealtimeDeps): Promise<{ open(emit: Emit): Responder }> {
  const { clock, meter, times, conversation, dialect } = deps;
  const record = createSpokenRecord();
  let onMessage: (message: ServerMessage) => void = () => undefined;
  let onLost: () => void = () => undefined;
  let onFailed: (error: unknown) => void = () => undefined;
  const connection = createConnection({
    ...deps,
    prepare(socket) {
      for (const item of record.replay(dialect.current))
        socket.send({ type: "conversation.item.create", item });
    },
    onMessage: (message) => onMessage(message),
    onLost: () => onLost(),
    onFailed: (error) => onFailed(error),
  });
  await connection.ready();
  return { open: createResponder };

  function createResponder(emit: Emit): Responder {
    const send = (message: object) => connection.send(message);
    const utterances = createUtterances(emit, record);
    const upload = createSpeechUpload(record, send);
    let active: ResponseRun | null = null;
    let count = 0;
    let askedAt = 0;
    /** The person has said something, and nothing has been said to them since. */
    let isOwed = false;

    let hasFailed = false;
    const fail = (error: unknown) => {
      if (hasFailed) return;
      hasFailed = true;
      queue.close();
      utterances.endOpen();
      emit({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    };
    onFailed = fail;
    onLost = () => active?.lose();
    connection.onReconnected(() => upload.resend());
    const take = (message: ServerMessage) => {
      const itemId = typeof message.item_id === "string" ? message.item_id : "";
      switch (message.type) {
        case "input_audio_buffer.committed":
          return upload.committed(itemId);
        case "conversation.item.input_audio_transcription.completed": {
          const text = typeof message.transcript === "string" ? message.transcript.trim() : "";
          upload.transcribed(itemId, text);
          if (text !== "") emit({ type: "heard", text, source: "stt" });
          return;
        }
        default:
          active?.handle(message);
      }
    };
    onMessage = (message) => {
      // Whatever a server sends ends one call at the most.
      try {
        take(message);
      } catch (error) {
        fail(error);
      }
    };

    const say = (item: RecordItem) => {
      record.add(item);
      send({ type: "conversation.item.create", item: itemMessage(item, dialect.current) });
    };

    const responseOf = (request: ResponseRequest): object => {
      switch (request.kind) {
        case "answer":
          return {};
        case "direction":
          return { instructions: `${agentInstructions(conversation)}\n\n${request.text}` };
        case "greeting":
          return request.text === ""
            ? {
                instructions: `${agentInstructions(conversation)}\n\n${directions.greet}`,
                tool_choice: "none",
              }
            : { instructions: sayExactly(request.text), tool_choice: "none" };
        case "sentence":
          return { instructions: sayExactly(request.text), tool_choice: "none" };
      }
    };

    async function respond(
      request: ResponseRequest,
      signal: AbortSignal,
    ): Promise<RunOutcome & { spoke: boolean }> {
      const eventId = `response-${++count}`;
      let named = 0;
      let patienceMs = times.answerWithinMs;
      let onSilent: () => void = () => undefined;
      const run = createResponseRun({
        eventId,
        nameUtterance: () =>
          ++named === 1 && request.kind === "sentence" ? request.utteranceId : `${eventId}-${named}`,
        utterances,
        record,
        emit,
        onFirstAudio() {
          if (request.kind === "answer") meter.stage(ENGINE, "turn", (performance.now() - askedAt) / 1_000);
        },
        onUsage(input, output) {
          meter.tokens(ENGINE, "input", input);
          meter.tokens(ENGINE, "output", output);
        },
        watch(silent) {
          onSilent = silent;
          return clock.schedule(clock.now() + patienceMs, silent);
        },
      });
      active = run;
      const cancel = () => {
        run.cancel();
        send({ type: "response.cancel" });
        patienceMs = CANCELLED_WITHIN_MS;
        clock.schedule(clock.now() + CANCELLED_WITHIN_MS, onSilent);
      };
      signal.addEventListener("abort", cancel, { once: true });
      send({ type: "response.create", event_id: eventId, response: responseOf(request) });
      try {
        return { ...(await run.outcome), spoke: run.hasSpoken };
      } finally {
        active = null;
        signal.removeEventListener("abort", cancel);
      }
    }

    async function run(asked: ResponseRequest, signal: AbortSignal): Promise<void> {
      let request = asked;
      let emptyOnes = 0;
      // After a tool there may be nothing left to say.
      const mayBeEmpty = () => request.kind === "answer" && !isOwed;
      for (let attempt = 1; ; attempt++) {
        await connection.ready();
        if (signal.aborted) return;
        const outcome = await respond(request, signal);
        if (outcome.type === "silent") connection.drop();
        if (outcome.spoke) isOwed = false;
        if (signal.aborted) return;
        if (outcome.type === "done") {
          connection.proved();
          if (!outcome.empty) return connection.exchangeIfDue();
          meter.trouble(ENGINE, "half_answer");
          if (++emptyOnes < MOST_EMPTY) continue;
          if (mayBeEmpty()) return connection.exchangeIfDue();
          throw new Error("the realtime server said nothing");
        }
        const code = outcome.type === "refused" ? outcome.code : "";
        meter.trouble(ENGINE, troubleOf(outcome));
        // What was said of it stands.
        if (outcome.type === "cut" && outcome.spoke && attempt >= MOST_ATTEMPTS) return;
        if (attempt >= MOST_ATTEMPTS || FATAL_CODES.test(code)) {
          throw new Error(`the realtime server ${code ? `refused an answer: ${code}` : "gave no answer"}`);
        }
        if (outcome.type === "refused")
          await sleep(/rate_limit/.test(code) ? RATE_LIMITED_RETRY_MS : RETRY_AFTER_MS);
        if (outcome.spoke) request = { kind: "direction", text: directions.cutOff };
      }
    }
    const sleep = (milliseconds: number) =>
      new Promise<void>((resolve) => void clock.schedule(clock.now() + milliseconds, resolve));

    const queue = createResponseQueue(run, fail);
    return {
      speechBegan: upload.began,
      speechWent: upload.went,
      speechEnded() {
        isOwed = true;
        upload.ended();
      },
      speechDropped: upload.dropped,
      userText(text) {
        isOwed = true;
        say({ kind: "user", text, audio: [] });
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
        const cut = utterances.interrupted(utteranceId, playedMs);
        if (!cut) return;
        if (active?.hasSpoken) queue.abortCurrent();
        send({
          type: "conversation.item.truncate",
          item_id: cut.itemId,
          content_index: 0,
          audio_end_ms: cut.audioEndMs,
        });
      },
      toolResult: (callId, result) =>
        say({
          kind: "tool_result",
          callId,
          output: JSON.stringify(result.ok ? result.result : { error: result.error }),
        }),
      get busy() {
        return queue.busy || upload.isOpen;
      },
      close() {
        queue.close();
        connection.close();
      },
    };
  }
}

function troubleOf(outcome: RunOutcome): Parameters<EngineMeter["trouble"]>[1] {
  if (outcome.type === "silent") return "silent";
  if (outcome.type === "refused") return /rate_limit/.test(outcome.code) ? "rate_limited" : "failed";
  return "half_answer";
}
