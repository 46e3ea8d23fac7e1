import type { EngineEvent, ToolResult } from "../engine.ts";

/**
 * What answers in a conversation: a speech-to-speech model, or a chain of models. Who speaks when is decided by the
 * turn-taking; a responder keeps the conversation, and answers when it is asked to. None of these throws.
 */
export interface Responder {
  /** The person speaks. @param before what was heard just before it was noticed; the caller's own */
  speechBegan(before: Int16Array): void;
  /** 20 ms more of it: valid until the call returns. */
  speechWent(samples: Int16Array): void;
  /** It is over, and belongs to the conversation. */
  speechEnded(): void;
  /** It was a noise, or its words are known otherwise: forget it. */
  speechDropped(): void;
  /** The person's words, or what they keyed, as text. */
  userText(text: string): void;
  /** @param always false: only if there are words to answer */
  answer(always: boolean): void;
  /** The first words. Empty: words of its own. */
  greet(text: string): void;
  /** Speaks as a direction to it says. */
  direct(direction: string): void;
  /** Speaks these words under this id, after what it is at. */
  say(text: string, utteranceId: string): void;
  /** The person begins to speak: gives up answers that are being made or wait. @returns whether there were any */
  stop(): boolean;
  /** Of this utterance so much was heard; the rest of it, and of its answer, is forgotten. */
  interrupted(utteranceId: string, playedMs: number): void;
  toolResult(toolCallId: string, result: ToolResult): void;
  /** Something is being made, or waits to be. */
  readonly busy: boolean;
  close(): void;
}

export type Emit = (event: EngineEvent) => void;
