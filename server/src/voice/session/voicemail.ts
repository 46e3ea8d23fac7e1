import { FRAME_MS } from "../media/media-leg.ts";
import type { BeepDetector, SpeechActivity } from "./detectors.ts";

export interface Voicemail {
  /** To be called every 20 ms with what the machine says. */
  hear(samples: Int16Array): void;
  activity(activity: SpeechActivity): void;
}

export interface VoicemailOptions {
  beep: BeepDetector;
  /** It was heard already. */
  beeped: boolean;
  /** The greeting is going on right now. */
  speaking: boolean;
  /** Begins the message; called once. */
  speak(): void;
  /** The message has been played. */
  spoken(): boolean;
  onDone(): void;
}

/** Machines begin to record a moment after their beep. */
const AFTER_BEEP_MS = 300;
/** Longer than the pauses inside a greeting: a machine that doesn't beep records now. */
const SILENCE_MS = 4_000;
/** A greeting that goes on for ever is spoken over. */
const WAITS_MS = 40_000;
/** What was sent last must arrive before the line is cut. */
const TAIL_MS = 400;

/** Leaves a message on an answering machine: after its beep, or after silence where no beep comes. */
export function createVoicemail({
  beep,
  beeped,
  speaking,
  speak,
  spoken,
  onDone,
}: VoicemailOptions): Voicemail {
  let elapsedMs = 0;
  let silentMs = 0;
  let greetingGoesOn = speaking;
  let speakAtMs: number | null = beeped ? AFTER_BEEP_MS : null;
  let phase: "waiting" | "speaking" | "done" = "waiting";
  let tailMs = 0;

  return {
    activity({ type }) {
      greetingGoesOn = type === "started";
      silentMs = 0;
    },
    hear(samples) {
      elapsedMs += FRAME_MS;
      if (phase === "waiting") {
        if (!greetingGoesOn) silentMs += FRAME_MS;
        if (speakAtMs === null && beep.push(samples)) speakAtMs = elapsedMs + AFTER_BEEP_MS;
        if ((speakAtMs === null && silentMs >= SILENCE_MS) || elapsedMs >= WAITS_MS) speakAtMs = elapsedMs;
        if (speakAtMs === null || elapsedMs < speakAtMs) return;
        phase = "speaking";
        speak();
      } else if (phase === "speaking") {
        tailMs = spoken() ? tailMs + FRAME_MS : 0;
        if (tailMs < TAIL_MS) return;
        phase = "done";
        onDone();
      }
    },
  };
}
