import { watchLevels } from "./levels.ts";
import { VoiceError } from "./voice-error.ts";

/** As the API's call `status`; more may be added. */
export type CallState =
  | "initiating"
  | "initiated"
  | "in-progress"
  | "completed"
  | "failed"
  | "busy"
  | "no-answer"
  | "canceled"
  | "voicemail";

/** A line of the transcript, told when it is whole. */
export interface TranscriptLine {
  role: "agent" | "user" | "tool";
  /** Where the words come from: `model`, `stt`, `script`, `dtmf`, `vad` … */
  source: string;
  text: string;
  /** Milliseconds from the call's answer. */
  startMs: number;
  endMs: number;
}

/** How loud both sides are: root mean square, 0 to 1. Told some twelve times a second. */
export interface Levels {
  microphone: number;
  agent: number;
}

export interface Ended {
  state: CallState;
  /** In words. */
  reason: string;
}

export interface CallEvents {
  state: CallState;
  transcript: TranscriptLine;
  level: Levels;
  /** Once, and the last event of a call. */
  ended: Ended;
  /** Something a person can do something about. After `connection_lost` the call ends; it goes on after `playback_blocked`. */
  error: VoiceError;
}

/** A call that is connected. */
export interface Call {
  readonly state: CallState;
  readonly muted: boolean;
  /** The lines so far. */
  readonly transcript: readonly TranscriptLine[];
  /** Sends silence from now on; the microphone stays open. */
  mute(): void;
  unmute(): void;
  /** Presses a key of the telephone: `0`–`9`, `*`, `#`. */
  sendDigit(digit: string): void;
  /** Ends the call. Resolves when it has ended. */
  hangUp(): Promise<void>;
  /** Plays the agent's audio after `playback_blocked`; to be called in a click's handler. */
  resumeAudio(): Promise<void>;
  /** @returns what ends the listening */
  on<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): () => void;
}

export interface CallParts {
  connection: RTCPeerConnection;
  channel: RTCDataChannel;
  /** Where the channel's messages wait to be read. */
  inbox: unknown[];
  microphone: MediaStream;
  agent: MediaStream;
  context: AudioContext;
  audio: HTMLAudioElement;
  /** Gives back what was opened for the call. */
  release(): void;
}

/** After the person hung up, the service's farewell comes within this. */
const FAREWELL_MS = 2_000;
/** The channel may close a moment before the connection says why. */
const WORDLESS_MS = 500;

export function createCall(parts: CallParts): Call {
  const { connection, channel, inbox, microphone, agent, context, audio } = parts;
  const listeners = new Map<string, Set<(event: never) => void>>();
  const transcript: TranscriptLine[] = [];
  let state: CallState = "initiated";
  let muted = false;
  let over = false;
  let tellEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });

  const emit = <Name extends keyof CallEvents>(name: Name, event: CallEvents[Name]) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        (listener as (event: CallEvents[Name]) => void)(event);
      } catch (error) {
        // One listener's fault is reported, and keeps the event from no other.
        setTimeout(() => {
          throw error;
        });
      }
    }
  };
  const move = (to: CallState) => {
    if (state === to) return;
    state = to;
    emit("state", to);
  };
  const end = (to: CallState, reason: string) => {
    if (over) return;
    over = true;
    stopLevels();
    removeEventListener("pagehide", leave);
    connection.close();
    parts.release();
    move(to);
    emit("ended", { state: to, reason });
    tellEnded();
  };
  const send = (message: object) => {
    if (channel.readyState === "open") channel.send(JSON.stringify(message));
  };
  const leave = () => {
    send({ type: "hangup" });
    end("completed", "The page was closed.");
  };
  const lost = () => {
    if (over) return;
    emit("error", new VoiceError("connection_lost", "The connection was lost. Start a new call."));
    end("failed", "The connection was lost.");
  };
  const play = () =>
    Promise.all([audio.play(), context.resume()]).then(
      () => {},
      (cause: unknown) => {
        if (over) return;
        const message = "The browser doesn't play sound before a click on the page.";
        emit("error", new VoiceError("playback_blocked", message, { cause }));
      },
    );

  const stopLevels = watchLevels(context, { microphone, agent }, (levels) => {
    emit("level", muted ? { ...levels, microphone: 0 } : levels);
  });
  const read = (data: unknown) => {
    const message = JSON.parse(String(data));
    if (message.type === "state") move(message.status);
    else if (message.type === "ended") end(message.status, message.reason);
    else if (message.type === "turn") {
      const { role, source, text } = message;
      const line = { role, source, text, startMs: message.start_ms, endMs: message.end_ms };
      transcript.push(line);
      emit("transcript", line);
    }
  };
  const drain = () => {
    while (inbox.length > 0) read(inbox.shift());
  };
  channel.addEventListener("close", () => setTimeout(lost, WORDLESS_MS));
  connection.addEventListener("connectionstatechange", () => {
    if (connection.connectionState === "failed") lost();
  });
  addEventListener("pagehide", leave);
  // A turn later, so that the page has had the time to listen.
  setTimeout(() => {
    channel.addEventListener("message", drain);
    drain();
    void play();
  });

  return {
    get state() {
      return state;
    },
    get muted() {
      return muted;
    },
    transcript,
    mute: () => setMuted(true),
    unmute: () => setMuted(false),
    sendDigit: (digit) => send({ type: "digit", digit }),
    async hangUp() {
      if (over) return;
      send({ type: "hangup" });
      const timer = setTimeout(() => end("completed", "You hung up."), FAREWELL_MS);
      await ended;
      clearTimeout(timer);
    },
    resumeAudio: play,
    on(name, listener) {
      let set = listeners.get(name);
      if (!set) {
        set = new Set();
        listeners.set(name, set);
      }
      set.add(listener);
      return () => void set.delete(listener);
    },
  };

  function setMuted(to: boolean) {
    muted = to;
    for (const track of microphone.getAudioTracks()) track.enabled = !to;
  }
}
