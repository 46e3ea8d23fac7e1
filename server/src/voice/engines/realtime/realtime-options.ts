import type { Clock } from "../../../clock.ts";
import type { Conversation } from "../engine.ts";
import type { EngineMeter } from "../engine-meter.ts";
import type { OpenSessionOptions } from "./open-realtime-session.ts";
import type { RealtimeSocket } from "./realtime-socket.ts";

export interface RealtimeTimes {
  /** A connection and the session's settings taken, all attempts together. */
  connectWithinMs: number;
  /** From one message about a response to the next. */
  answerWithinMs: number;
  /** A session is exchanged for a new one after this: servers end them at 60 minutes. */
  sessionMs: number;
}

/** What one conversation over a realtime server runs on. */
export interface RealtimeDeps {
  clock: Clock;
  meter: EngineMeter;
  times: RealtimeTimes;
  conversation: Conversation;
  /** Opens a session with the server. @throws ConnectionFailed */
  openSession(
    options: Pick<OpenSessionOptions, "withinMs" | "onMessage" | "onGarbage" | "onClosed">,
  ): Promise<RealtimeSocket>;
  dialect: OpenSessionOptions["dialect"];
}
