import type { Clock } from "../../clock.ts";
import {
  type Conversation,
  type EngineEvent,
  type EngineSession,
  EngineUnavailable,
  type VoiceEngine,
} from "../engines/engine.ts";

/** One call's engine session, behind a wall: whatever an engine does wrong becomes `onFailed`, once. */
export interface EngineLink {
  /** Tells the engine something. Nothing happens once it has failed or was closed. */
  tell(what: (session: EngineSession) => void): void;
  /** False once it has failed or was closed. */
  isAlive(): boolean;
  close(): void;
}

export interface EngineLinkOptions {
  clock: Clock;
  engine: VoiceEngine;
  conversation: Omit<Conversation, "emit">;
  onEvent(event: EngineEvent): void;
  onFailed(message: string): void;
}

const OPENS_WITHIN_MS = 10_000;

/**
 * Opens an engine session. Events that come before this resolves are delivered too.
 * @throws EngineUnavailable also when the engine throws something else, or doesn't open within 10 s
 */
export async function openEngineLink(options: EngineLinkOptions): Promise<EngineLink> {
  const { clock, engine, conversation, onEvent, onFailed } = options;
  let alive = true;
  let session: EngineSession | undefined;

  const fail = (message: string) => {
    if (!alive) return;
    alive = false;
    closeSession();
    onFailed(message);
  };
  const closeSession = () => {
    try {
      session?.close();
    } catch {
      // It is being given up in any case.
    }
  };
  const emit = (event: EngineEvent) => {
    if (!alive) return;
    if (event.type === "failed") return fail(event.message);
    try {
      onEvent(event);
    } catch (error) {
      fail(`An event of the engine couldn't be handled: ${messageOf(error)}`);
    }
  };

  session = await withinTime(clock, engine, { ...conversation, emit });
  return {
    tell(what) {
      if (!alive || !session) return;
      try {
        what(session);
      } catch (error) {
        fail(`The engine threw: ${messageOf(error)}`);
      }
    },
    isAlive: () => alive,
    close() {
      if (!alive) return;
      alive = false;
      closeSession();
    },
  };
}

async function withinTime(
  clock: Clock,
  engine: VoiceEngine,
  conversation: Conversation,
): Promise<EngineSession> {
  let cancelTimer: () => void = () => undefined;
  let late = false;
  const tooLate = new Promise<never>((_, reject) => {
    cancelTimer = clock.schedule(clock.now() + OPENS_WITHIN_MS, () => {
      late = true;
      reject(new EngineUnavailable("The engine didn't open a conversation in time."));
    });
  });
  try {
    const opening = (async () => engine.start(conversation))();
    opening.then(
      (session) => late && session.close(),
      () => undefined,
    );
    return await Promise.race([opening, tooLate]);
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error;
    throw new EngineUnavailable("The engine couldn't open a conversation.", { cause: error });
  } finally {
    cancelTimer();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
