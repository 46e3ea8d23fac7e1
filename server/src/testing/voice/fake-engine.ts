import {
  type Conversation,
  type EngineEvent,
  type EngineSession,
  EngineUnavailable,
  type ToolResult,
  type VoiceEngine,
} from "../../voice/engines/engine.ts";

/** What was told to a conversation of the fake engine, in order. */
export type Told =
  | { type: "begin" }
  | { type: "speechStarted" }
  | { type: "close" }
  | { type: "hear"; frames: number }
  | { type: "speechEnded"; durationMs: number }
  | { type: "said"; text: string }
  | { type: "say"; text: string; utteranceId: string }
  | { type: "keyed"; digit: string }
  | { type: "interrupted"; utteranceId: string; playedMs: number }
  | { type: "played"; utteranceId: string }
  | { type: "toolResult"; id: string; result: ToolResult };

export interface FakeConversation {
  readonly conversation: Conversation;
  readonly told: Told[];
  /** Of these types only. */
  tolds<Type extends Told["type"]>(type: Type): Extract<Told, { type: Type }>[];
  emit(event: EngineEvent): void;
  /** Speaks: text, audio and the end of an utterance at once. @returns its id */
  speak(text: string, milliseconds: number, utteranceId?: string): string;
  /** Throws whenever this is told. */
  throwOn(type: Told["type"]): void;
}

export interface FakeEngine extends VoiceEngine {
  readonly conversations: FakeConversation[];
  /** The next `start` rejects so, or never settles. */
  failStart(how: "unavailable" | "throws" | "never"): void;
}

export interface FakeEngineOptions {
  transcribes?: boolean;
  /** Does this with each new conversation: the script of what it does by itself. */
  onStart?(conversation: FakeConversation): void;
  onTold?(conversation: FakeConversation, told: Told): void;
  /** So loud does it speak. */
  amplitude?: number;
}

/** An engine that does what a test says. Asked to `say` something, it says it, unless `onTold` takes that over. */
export function fakeEngine({
  transcribes = false,
  amplitude = 5_000,
  ...options
}: FakeEngineOptions = {}): FakeEngine {
  const conversations: FakeConversation[] = [];
  let failing: "unavailable" | "throws" | "never" | null = null;

  const open = (conversation: Conversation): EngineSession => {
    const told: Told[] = [];
    const throwing = new Set<string>();
    let utterances = 0;
    let closed = false;
    const fake: FakeConversation = {
      conversation,
      told,
      tolds: (type) =>
        told.filter((entry): entry is Extract<Told, { type: typeof type }> => entry.type === type),
      emit: conversation.emit,
      speak(text, milliseconds, utteranceId = `utterance-${++utterances}`) {
        conversation.emit({ type: "text", utteranceId, text, source: "model" });
        conversation.emit({
          type: "audio",
          utteranceId,
          samples: new Int16Array(milliseconds * 8).fill(amplitude),
        });
        conversation.emit({ type: "spoken", utteranceId });
        return utteranceId;
      },
      throwOn: (type) => void throwing.add(type),
    };
    conversations.push(fake);
    const tell = (entry: Told) => {
      if (closed) return;
      const last = told.at(-1);
      if (entry.type === "hear" && last?.type === "hear") last.frames++;
      else told.push(entry);
      if (throwing.has(entry.type)) throw new Error(`the engine threw at ${entry.type}`);
      if (options.onTold) options.onTold(fake, entry);
      else if (entry.type === "say") fake.speak(entry.text, entry.text.length * 60, entry.utteranceId);
    };
    options.onStart?.(fake);
    return {
      begin: () => tell({ type: "begin" }),
      hear: () => tell({ type: "hear", frames: 1 }),
      speechStarted: () => tell({ type: "speechStarted" }),
      speechEnded: (durationMs) => tell({ type: "speechEnded", durationMs }),
      said: (text) => tell({ type: "said", text }),
      keyed: (digit) => tell({ type: "keyed", digit }),
      interrupted: (utteranceId, playedMs) => tell({ type: "interrupted", utteranceId, playedMs }),
      played: (utteranceId) => tell({ type: "played", utteranceId }),
      toolResult: (id, result) => tell({ type: "toolResult", id, result }),
      say: (text, utteranceId) => tell({ type: "say", text, utteranceId }),
      close() {
        if (closed) return;
        try {
          tell({ type: "close" });
        } finally {
          closed = true;
        }
      },
    };
  };

  return {
    name: "fake",
    transcribes,
    conversations,
    failStart(how) {
      failing = how;
    },
    async start(conversation) {
      if (failing === "unavailable") throw new EngineUnavailable("the fake engine is away");
      if (failing === "throws") throw new Error("the fake engine threw");
      if (failing === "never") await new Promise<never>(() => undefined);
      return open(conversation);
    },
    async close() {},
  };
}
