import type { Conversation, EngineEvent, EngineSession, VoiceEngine } from "../../voice/engines/engine.ts";
import { toolDefinitions } from "../../voice/engines/tool-definitions.ts";
import { FRAME_SAMPLES } from "../../voice/media/media-leg.ts";

/** A conversation with an engine, as a session has it, in a test's hands. */
export interface EngineTalk {
  readonly session: EngineSession;
  readonly events: EngineEvent[];
  of<Type extends EngineEvent["type"]>(type: Type): Extract<EngineEvent, { type: Type }>[];
  /** The last words of each utterance, in the order in which they came. */
  said(): string[];
  tools(): [string, unknown][];
  /** The person speaks so long: frames of sound, with what the voice activity tells of it. */
  speaks(milliseconds?: number): void;
  hears(milliseconds: number): void;
  /** Waits until it is so; fails after 20 s of real time. */
  until(condition: () => boolean): Promise<void>;
}

const PATIENCE_MS = 20_000;
const sound = new Int16Array(FRAME_SAMPLES).fill(4_000);
const silence = new Int16Array(FRAME_SAMPLES);

/** Opens it. What it says counts as played at once, unless `plays` is false. */
export async function engineTalk(
  engine: VoiceEngine,
  given: Partial<Conversation> & { plays?: boolean } = {},
): Promise<EngineTalk> {
  const events: EngineEvent[] = [];
  const session = await engine.start({
    callId: "call",
    instructions: "You sell umbrellas.",
    greeting: "Hello there.",
    firstSpeaker: "agent",
    voice: "clara",
    temperature: 0.7,
    tools: Object.values(toolDefinitions),
    context: {},
    emit(event) {
      events.push(event);
      if (event.type === "spoken" && given.plays !== false) session.played(event.utteranceId);
    },
    ...given,
  });
  const of: EngineTalk["of"] = (type) =>
    events.filter((event): event is Extract<EngineEvent, { type: typeof type }> => event.type === type);
  const hears = (milliseconds: number, samples = silence) => {
    for (let at = 0; at < milliseconds; at += 20) session.hear(samples);
  };
  return {
    session,
    events,
    of,
    said: () => [...new Map(of("text").map(({ utteranceId, text }) => [utteranceId, text])).values()],
    tools: () => of("tool_call").map(({ name, arguments: args }) => [name, args]),
    speaks(milliseconds = 900) {
      session.speechStarted();
      hears(milliseconds, sound);
      session.speechEnded(milliseconds);
    },
    hears: (milliseconds) => hears(milliseconds),
    async until(condition) {
      const deadline = performance.now() + PATIENCE_MS;
      while (!condition()) {
        if (performance.now() > deadline)
          throw new Error(`it didn't come to that: ${JSON.stringify(events.map(({ type }) => type))}`);
        await new Promise<void>((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}
