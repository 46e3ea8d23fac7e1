import type { ToolDefinition } from "../engine.ts";
import type { ChatMessage } from "./chat-history.ts";
import { askModel, type ModelAsk, ModelTrouble } from "./model-request.ts";
import { serverSentEvents } from "./server-sent-events.ts";

export type CompletionEvent =
  | { type: "text"; text: string }
  /** All of them, once they are whole. */
  | { type: "tool_calls"; calls: { name: string; arguments: string }[] }
  | { type: "usage"; input: number; output: number };

export interface CompletionAsk extends Pick<ModelAsk, "server" | "dispatcher" | "withinMs" | "signal"> {
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  temperature: number;
}

const MOST_GARBAGE = 20;
/** What nobody wants to hear to its end. */
const MOST_CHARACTERS = 4_000;

/**
 * What the model answers, as it comes: `POST /chat/completions`, streamed.
 * @throws ModelTrouble, also when the stream ends before the answer does
 */
export async function* complete(ask: CompletionAsk): AsyncGenerator<CompletionEvent> {
  const { body } = await askModel({
    ...ask,
    path: "/chat/completions",
    contentType: "application/json",
    body: JSON.stringify({
      model: ask.server.model,
      messages: ask.messages,
      temperature: ask.temperature,
      stream: true,
      stream_options: { include_usage: true },
      ...(ask.tools.length > 0 ? { tools: ask.tools.map(asFunction) } : {}),
    }),
  });
  const calls = new Map<number, { name: string; arguments: string }>();
  let isComplete = false;
  let garbage = 0;
  let characters = 0;
  for await (const data of serverSentEvents(body)) {
    if (data === "[DONE]") {
      isComplete = true;
      break;
    }
    const chunk = readChunk(data);
    if (!chunk) {
      if (++garbage > MOST_GARBAGE) throw new ModelTrouble("garbage", "an answer couldn't be read");
      continue;
    }
    if (chunk.error) throw new ModelTrouble("failed", "a model server failed in the middle of its answer");
    if (chunk.text !== "") yield { type: "text", text: chunk.text };
    characters += chunk.text.length;
    for (const part of chunk.calls) {
      const call = calls.get(part.index) ?? { name: "", arguments: "" };
      calls.set(part.index, { name: call.name + part.name, arguments: call.arguments + part.arguments });
    }
    if (chunk.usage) yield { type: "usage", ...chunk.usage };
    isComplete ||= chunk.isLast;
    if (characters > MOST_CHARACTERS) return;
  }
  if (!isComplete) throw new ModelTrouble("half_answer", "an answer ended in the middle");
  if (calls.size > 0) yield { type: "tool_calls", calls: [...calls.values()] };
}

const asFunction = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters },
});

interface Chunk {
  text: string;
  calls: { index: number; name: string; arguments: string }[];
  usage: { input: number; output: number } | null;
  isLast: boolean;
  error: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const numberOf = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);

function readChunk(data: string): Chunk | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return null;
  }
  const chunk = fieldsOf(parsed);
  const choice = listOf(chunk.choices)[0] ?? {};
  const delta = fieldsOf(choice.delta);
  const usage = fieldsOf(chunk.usage);
  return {
    text: textOf(delta.content),
    calls: listOf(delta.tool_calls).map((call, at) => {
      const { name, arguments: args } = fieldsOf(call.function);
      return {
        index: typeof call.index === "number" ? call.index : at,
        name: textOf(name),
        arguments: textOf(args),
      };
    }),
    usage: chunk.usage
      ? { input: numberOf(usage.prompt_tokens), output: numberOf(usage.completion_tokens) }
      : null,
    isLast: textOf(choice.finish_reason) !== "",
    error: chunk.error !== undefined && chunk.error !== null,
  };
}
