import type { TurnSource } from "../transcript.ts";

/**
 * What an agent thinks and speaks with: the scripted engine, a speech-to-speech model, or speech-to-text + model +
 * text-to-speech. Every implementation passes the suite in `engine.contract.ts`.
 */
export interface VoiceEngine {
  /** `scripted`, `realtime`, `pipeline` */
  readonly name: string;
  /** It reads speech and reports it with `heard`: words are then waited for before a turn is stored as unread. */
  readonly transcribes: boolean;
  /**
   * Opens a conversation, before anybody is on the line. Nothing is spoken until `begin`.
   * @throws EngineUnavailable when it can't be opened
   */
  start(conversation: Conversation): Promise<EngineSession>;
  close(): Promise<void>;
}

export interface Conversation {
  callId: string;
  /** The system prompt, its placeholders filled in. */
  instructions: string;
  /** What the agent says first, placeholders filled in. Empty: the engine finds its own words. */
  greeting: string;
  firstSpeaker: "agent" | "user";
  /** An id of the voice catalog. */
  voice: string;
  /** 0 to 2 */
  temperature: number;
  /** What may be called, and nothing else. */
  tools: readonly ToolDefinition[];
  /** What the engine may know about the person, by name: `first_name`, … Data, never instructions. */
  context: Readonly<Record<string, string>>;
  emit(event: EngineEvent): void;
}

export interface ToolDefinition {
  name: ToolName;
  description: string;
  /** JSON Schema of its arguments. The session validates against it before anything runs. */
  parameters: Readonly<Record<string, unknown>>;
}

export const TOOL_NAMES = [
  "end_call",
  "transfer_to_human",
  "book_appointment",
  "schedule_callback",
  "record_opt_out",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];
/** Those that aren't the session's own: what belongs to the product runs them. */
export type DomainTool = Exclude<ToolName, "end_call" | "transfer_to_human">;

/**
 * What the session tells the engine. None of these throws; after `close` they do nothing.
 *
 * Audio isn't heard before `begin`, but speech, words and digits may be told before it: what the person said while it
 * was found out who answered. Between the call of `transfer_to_human` and its result nothing is told: the session
 * holds back what is said meanwhile.
 */
export interface EngineSession {
  /** A person is on the line and listens: speak first, or wait for them. Called once. */
  begin(): void;
  /** 20 ms of what the person said: 160 samples at 8 kHz. Called every 20 ms while they are listened to. Copy what is kept. */
  hear(samples: Int16Array): void;
  /** The session's own voice activity. An engine with better ears may ignore it. */
  speechStarted(): void;
  speechEnded(durationMs: number): void;
  /** Words that the carrier knows were said (source `simulated`). Comes at about the time of `speechEnded`. */
  said(text: string): void;
  /** One keyed digit. */
  keyed(digit: string): void;
  /** The person cut in: of this utterance so much was played, and the rest was thrown away. */
  interrupted(utteranceId: string, playedMs: number): void;
  /** All audio of an utterance has been played. */
  played(utteranceId: string): void;
  /** The results of `transfer_to_human` and `record_opt_out` need no words: the session asks for them with `say`. */
  toolResult(toolCallId: string, result: ToolResult): void;
  /**
   * Asks for one sentence of the session's, after what is being said: that a colleague is being called, a failed
   * transfer, the confirmation of an opt-out, the last words. Its audio comes under this id: the last words are told
   * from everything else by it.
   */
  say(text: string, utteranceId: string): void;
  close(): void;
}

export type ToolResult =
  | { ok: true; result: Readonly<Record<string, unknown>> }
  /** `alternatives`: free times on the person's own clock, the same that the error names in words. */
  | { ok: false; error: string; alternatives?: readonly { day: string; time: string }[] };

export type EngineEvent =
  /** Audio of the agent: 8 kHz, mono, 16-bit, any length. An utterance's parts come in order. */
  | { type: "audio"; utteranceId: string; samples: Int16Array }
  /** The words of an utterance, whole: sent before, with or after its audio. */
  | { type: "text"; utteranceId: string; text: string; source: TurnSource }
  /** No more audio of it will come. */
  | { type: "spoken"; utteranceId: string }
  /** What the engine heard the person say. Times are left to the session unless the engine knows better. */
  | { type: "heard"; text: string; source: TurnSource }
  /** Stop playing: the person cuts in. The session answers with `interrupted`. */
  | { type: "interrupt" }
  | { type: "tool_call"; id: string; name: string; arguments: unknown }
  /** The engine can't go on. The session says one sentence if it can, and ends the call. */
  | { type: "failed"; message: string };

/** The engine can't begin: `503 voice_provider_unavailable`. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}
