import type { Clock } from "../../../clock.ts";
import { EngineUnavailable, type VoiceEngine } from "../engine.ts";
import type { EngineMeter } from "../engine-meter.ts";
import { createTurnTaking } from "../turn-taking/create-turn-taking.ts";
import { openRealtimeSession } from "./open-realtime-session.ts";
import type { RealtimeTimes } from "./realtime-options.ts";
import { openRealtimeResponder } from "./realtime-responder.ts";
import { ConnectionFailed, createWires } from "./realtime-socket.ts";
import type { Dialect } from "./session-settings.ts";

export interface RealtimeEngineOptions {
  clock: Clock;
  meter: EngineMeter;
  /** `wss://…/v1/realtime`; the model is added to its query. */
  url: string;
  apiKey: string | null;
  model: string;
  transcriptionModel: string;
  /** The server's name of each voice of the catalog; others are called as the catalog calls them. */
  voices: Readonly<Record<string, string>>;
  times?: Partial<RealtimeTimes>;
}

const TIMES: RealtimeTimes = { connectWithinMs: 5_000, answerWithinMs: 5_000, sessionMs: 55 * 60_000 };

/** A speech-to-speech model behind a WebSocket that speaks OpenAI's realtime protocol. */
export function createRealtimeEngine(options: RealtimeEngineOptions): VoiceEngine {
  const { clock, meter, apiKey, transcriptionModel } = options;
  const times = { ...TIMES, ...options.times };
  const wires = createWires(times.connectWithinMs);
  const dialect: { current: Dialect } = { current: "current" };
  const url = new URL(options.url);
  if (!url.searchParams.has("model")) url.searchParams.set("model", options.model);

  return {
    name: "realtime",
    transcribes: true,
    async start(conversation) {
      const voice = options.voices[conversation.voice] ?? conversation.voice;
      const settings = { conversation, voice, transcriptionModel };
      try {
        const { open } = await openRealtimeResponder({
          clock,
          meter,
          times,
          conversation,
          dialect,
          openSession: (given) =>
            openRealtimeSession({ ...given, clock, url: url.href, apiKey, wires, settings, dialect }),
        });
        return createTurnTaking(conversation, open);
      } catch (error) {
        if (error instanceof ConnectionFailed) throw new EngineUnavailable(error.message, { cause: error });
        throw error;
      }
    },
    close: async () => wires.close(),
  };
}
