import type { TranscriptTurn, TurnSource } from "../transcript.ts";
import type { SpeechActivity } from "./detectors.ts";

/** Makes turns of what one person says and keys. Times are those of the call's media, milliseconds from the answer. */
export interface HeardTurns {
  activity(activity: SpeechActivity): void;
  /** Words somebody knows were said: they take the place of the speech that is still unread. */
  words(text: string, source: TurnSource): void;
  digit(digit: string): void;
  /** To be called every 20 ms: stores what has waited long enough. */
  tick(): void;
  /** The call is over: stores what is still under way. */
  finish(): void;
}

interface HeardTurnsOptions {
  /** `user`; `agent` for the human colleague of a transfer. */
  role: "user" | "agent";
  /** So long is waited for the words of speech that has ended. */
  wordsWithinMs: number;
  now(): number;
  onTurn(turn: TranscriptTurn): void;
}

interface Speech {
  startMs: number;
  endMs: number;
}

/** Digits with no longer pause between them are one turn. */
const DIGITS_APART_MS = 2_000;
const MOST_DIGITS = 64;
const MOST_CHARACTERS = 4_000;
/** To estimate when words began that no speech was heard for. */
const MS_PER_CHARACTER = 65;

export function createHeardTurns({ role, wordsWithinMs, now, onTurn }: HeardTurnsOptions): HeardTurns {
  let speaking: { startMs: number; read: boolean } | null = null;
  let unread: Speech[] = [];
  let digits: { text: string; startMs: number; lastMs: number } | null = null;

  const emit = (source: TurnSource, text: string, { startMs, endMs }: Speech) =>
    onTurn({
      role,
      source,
      text,
      startMs: Math.max(0, Math.round(startMs)),
      endMs: Math.max(0, Math.round(endMs)),
    });

  const emitUnread = (speech: Speech) =>
    emit("vad", `[speech, ${((speech.endMs - speech.startMs) / 1_000).toFixed(1)} s]`, speech);

  const emitDigits = () => {
    if (digits) emit("dtmf", digits.text, { startMs: digits.startMs, endMs: digits.lastMs });
    digits = null;
  };

  return {
    activity(activity) {
      if (activity.type === "started") {
        speaking ??= { startMs: now(), read: false };
        return;
      }
      const startMs = speaking?.startMs ?? now() - activity.durationMs;
      if (!speaking?.read) unread.push({ startMs, endMs: Math.min(now(), startMs + activity.durationMs) });
      speaking = null;
    },
    words(given, source) {
      const text = given.trim().slice(0, MOST_CHARACTERS);
      if (text === "") return;
      const first = unread[0];
      const last = unread.at(-1);
      // Words from the carrier come as they end, so they are those of the speech going on; a model's come later.
      const claimsSpeaking = speaking !== null && (source === "simulated" || !first);
      const startMs =
        first?.startMs ?? speaking?.startMs ?? Math.max(0, now() - text.length * MS_PER_CHARACTER);
      const endMs = claimsSpeaking ? now() : (last?.endMs ?? now());
      if (claimsSpeaking && speaking) speaking.read = true;
      unread = [];
      emit(source, text, { startMs, endMs });
    },
    digit(digit) {
      // A tone in the audio is no speech.
      if (speaking) speaking.read = true;
      if (digits && digits.text.length >= MOST_DIGITS) emitDigits();
      digits ??= { text: "", startMs: now(), lastMs: now() };
      digits.text += digit;
      digits.lastMs = now();
    },
    tick() {
      while (unread[0] && now() - unread[0].endMs >= wordsWithinMs) emitUnread(unread.shift()!);
      if (digits && now() - digits.lastMs > DIGITS_APART_MS) emitDigits();
    },
    finish() {
      if (speaking && !speaking.read) unread.push({ startMs: speaking.startMs, endMs: now() });
      for (const speech of unread) emitUnread(speech);
      unread = [];
      speaking = null;
      emitDigits();
    },
  };
}
