import { decodeG711 } from "../../media/g711.ts";
import type { Emit } from "../turn-taking/responder.ts";
import { errorCode, type ServerMessage } from "./open-realtime-session.ts";
import type { SpokenRecord } from "./spoken-record.ts";
import type { Utterances } from "./utterances.ts";

/**
 * How a response ended. `lost`: with its connection. `silent`: the server stopped telling anything of it. `cut`: the server ended it
 * before its end.
 */
export type RunOutcome =
  | { type: "done"; empty: boolean }
  | { type: "lost" | "silent" | "cut" }
  | { type: "refused"; code: string };

export interface ResponseRun {
  /** Given every message of the server's while it runs. */
  handle(message: ServerMessage): void;
  lose(): void;
  /** Nothing more of it is passed on; it ends when the server has ended it. */
  cancel(): void;
  /** Audio of it was passed on. */
  readonly hasSpoken: boolean;
  readonly outcome: Promise<RunOutcome>;
}

export interface ResponseRunOptions {
  /** Of our `response.create`: errors about it name it. */
  eventId: string;
  /** Names its utterances; the first is asked for first. */
  nameUtterance(): string;
  utterances: Utterances;
  record: SpokenRecord;
  emit: Emit;
  onFirstAudio(): void;
  onUsage(input: number, output: number): void;
  /** Calls back when nothing has been heard of it for too long. @returns cancels it */
  watch(onSilent: () => void): () => void;
}

/** One response of a realtime server, from `response.create` to `response.done`. */
export function createResponseRun(options: ResponseRunOptions): ResponseRun {
  const { eventId, nameUtterance, utterances, record, emit } = options;
  const toolCalls = new Map<string, { name: string; arguments: string }>();
  let responseId: string | null = null;
  let cancelled = false;
  let hasSpoken = false;
  let settle: (outcome: RunOutcome) => void = () => undefined;
  let over = false;
  const outcome = new Promise<RunOutcome>((resolve) => (settle = resolve));
  let stopWatching = options.watch(() => finish({ type: "silent" }));

  function finish(how: RunOutcome) {
    if (over) return;
    over = true;
    stopWatching();
    utterances.endOpen();
    settle(how);
  }

  function keepToolCall(item: ServerMessage) {
    const callId = textOf(item.call_id);
    if (item.type !== "function_call" || callId === "" || toolCalls.has(callId)) return;
    toolCalls.set(callId, { name: textOf(item.name), arguments: textOf(item.arguments) });
  }

  function done(response: ServerMessage) {
    const output = Array.isArray(response.output) ? (response.output as unknown[]) : [];
    for (const item of output) keepToolCall(objectOf(item));
    const usage = objectOf(response.usage);
    options.onUsage(numberOf(usage.input_tokens), numberOf(usage.output_tokens));
    if (response.status === "failed" && !cancelled) {
      const error = objectOf(objectOf(response.status_details).error);
      return finish({ type: "refused", code: errorCode({ error }) });
    }
    // What a filter has stopped would be stopped again.
    const isCut =
      response.status === "incomplete" && objectOf(response.status_details).reason !== "content_filter";
    if (isCut && !cancelled && toolCalls.size === 0) return finish({ type: "cut" });
    finish({ type: "done", empty: !cancelled && !hasSpoken && toolCalls.size === 0 });
    if (cancelled) return;
    for (const [callId, call] of toolCalls) {
      record.add({ kind: "tool_call", callId, ...call });
      emit({ type: "tool_call", id: callId, name: call.name, arguments: parsed(call.arguments) });
    }
  }

  function isMine(message: ServerMessage): boolean {
    const id = message.response_id;
    return responseId === null || typeof id !== "string" || id === responseId;
  }

  return {
    handle(message) {
      if (over) return;
      const type = textOf(message.type);
      if (type === "error") {
        const about = objectOf(message.error).event_id;
        if (about === eventId) finish({ type: "refused", code: errorCode(message) });
        return;
      }
      if (!type.startsWith("response.")) return;
      if (type === "response.created") {
        responseId ??= textOf(objectOf(message.response).id) || null;
      } else if (type === "response.done") {
        const response = objectOf(message.response);
        if (responseId !== null && response.id !== responseId) return;
        return done(response);
      } else if (!isMine(message)) return;
      stopWatching();
      stopWatching = options.watch(() => finish({ type: "silent" }));
      if (cancelled) return;
      const itemId = textOf(message.item_id);
      // Older servers leave "output_" out.
      switch (type.replace("response.output_audio", "response.audio")) {
        case "response.audio.delta": {
          const samples = decodeG711("pcmu", Buffer.from(textOf(message.delta), "base64"));
          if (!hasSpoken && samples.length > 0) options.onFirstAudio();
          hasSpoken ||= samples.length > 0;
          return utterances.audio(itemId, samples, nameUtterance);
        }
        case "response.audio_transcript.delta":
          return utterances.words(itemId, textOf(message.delta), nameUtterance);
        case "response.audio_transcript.done":
          return utterances.allWords(itemId, textOf(message.transcript), nameUtterance);
        case "response.audio.done":
          return utterances.end(itemId);
        case "response.output_item.done":
          return keepToolCall(objectOf(message.item));
      }
    },
    lose: () => finish({ type: "lost" }),
    cancel() {
      if (cancelled || over) return;
      cancelled = true;
      utterances.endOpen();
    },
    get hasSpoken() {
      return hasSpoken;
    },
    outcome,
  };
}

function parsed(json: string): unknown {
  try {
    return json.trim() === "" ? {} : JSON.parse(json);
  } catch {
    // The session's check of the arguments refuses it, and the model is told.
    return json;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function objectOf(value: unknown): ServerMessage {
  return typeof value === "object" && value !== null ? (value as ServerMessage) : {};
}
