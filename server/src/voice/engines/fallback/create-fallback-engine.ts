import type { Clock } from "../../../clock.ts";
import { type Conversation, type EngineSession, EngineUnavailable, type VoiceEngine } from "../engine.ts";
import type { EngineMeter } from "../engine-meter.ts";
import { createFallbackSession } from "./fallback-session.ts";

export interface FallbackOptions {
  clock: Clock;
  meter: EngineMeter;
  /** In the order in which they are tried. They are this engine's: it closes them. */
  engines: readonly [VoiceEngine, ...VoiceEngine[]];
}

/** One that couldn't start isn't asked again for so long, while there is another: its time-out would delay every call. */
const RESTS_MS = 30_000;

/**
 * Several engines as one: a call starts with the first that can, and goes on with the next when that one fails in the middle.
 */
export function createFallbackEngine({ clock, meter, engines }: FallbackOptions): VoiceEngine {
  const restingUntil = new Map<VoiceEngine, number>();

  /** @throws EngineUnavailable when none of them can */
  async function startFrom(
    first: number,
    conversationFor: (index: number) => Conversation,
  ): Promise<{ index: number; session: EngineSession }> {
    let failure: unknown;
    for (const [index, engine] of engines.entries()) {
      const isLast = index === engines.length - 1;
      if (index < first || (!isLast && (restingUntil.get(engine) ?? 0) > clock.now())) continue;
      try {
        const session = await engine.start(conversationFor(index));
        restingUntil.delete(engine);
        const from = engines[Math.max(0, first - 1)] as VoiceEngine;
        if (index > 0) meter.fellBack(from.name, engine.name);
        return { index, session };
      } catch (error) {
        failure = error;
        restingUntil.set(engine, clock.now() + RESTS_MS);
      }
    }
    if (failure instanceof EngineUnavailable) throw failure;
    throw new EngineUnavailable("No voice engine could be started.", { cause: failure });
  }

  return {
    name: engines[0].name,
    transcribes: engines.some(({ transcribes }) => transcribes),
    start: (conversation) => createFallbackSession(conversation, startFrom),
    async close() {
      const closed = await Promise.allSettled(engines.map((engine) => engine.close()));
      const failed = closed.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
    },
  };
}
