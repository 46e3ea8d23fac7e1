import { FRAME_SAMPLES, SAMPLE_RATE } from "../media/media-leg.ts";
import { createPlayout } from "../media/playout.ts";
import type { TranscriptTurn, TurnSource } from "../transcript.ts";
import { cutText } from "./cut-text.ts";

/** What the agent says on one leg: queues it, and makes turns of what was really played. */
export interface Speaker {
  audio(utteranceId: string, samples: Int16Array): void;
  text(utteranceId: string, text: string, source: TurnSource): void;
  /** No more audio of it will come. */
  spoken(utteranceId: string): void;
  /** Queues a sentence of the session's own, which nobody cuts off. */
  own(text: string, samples: Int16Array): void;
  /** The 20 ms to send now: 160 samples, valid until the next call. To be called every 20 ms. */
  next(): Int16Array;
  /** Throws away what isn't played yet. @returns which utterances that were, and how much of each was played */
  interrupt(): { utteranceId: string; playedMs: number }[];
  /** A sentence of the session's own is being played or waits. */
  speaksOwn(): boolean;
  /** Nothing is being played, nothing waits, and nothing that was begun is still to come. */
  isQuiet(): boolean;
  /** Audio of it has come. */
  hasBegun(utteranceId: string): boolean;
  /** Of the engine's, only this may still begin. */
  seal(utteranceId: string | null): void;
  /** Nothing more will come of what was begun: the engine has gone. */
  endOpen(): void;
  /** The call is over: makes turns of what was played until now. */
  finish(): void;
}

export interface SpeakerOptions {
  now(): number;
  onTurn(turn: TranscriptTurn): void;
  /** All audio of an utterance of the engine's has been played. */
  onPlayed(utteranceId: string): void;
}

interface Utterance {
  text: string | null;
  source: TurnSource;
  audioMs: number;
  spoken: boolean;
  /** From the first frame of it that was played to the end of the last one: an engine may stall in between, or tell the end late. */
  played: { fromMs: number; toMs: number } | null;
  /** How its playing ended; null while it is to come or under way. */
  ended: { playedMs: number; cut: boolean } | null;
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS;
const OWN = "session:";
/** An utterance without audio for so many frames, of which no end was told, counts as ended: 5 s. */
const STARVED_FRAMES = 250;

export function createSpeaker({ now, onTurn, onPlayed }: SpeakerOptions): Speaker {
  const utterances = new Map<string, Utterance>();
  /** Told as turns, or thrown away: what is still told of them is ignored. */
  const settled = new Set<string>();
  const begun = new Set<string>();
  let ownCount = 0;
  let ownWaiting = 0;
  let sealed: { utteranceId: string | null } | null = null;
  let starvedFrames = 0;

  const playout = createPlayout({
    onPlaying(utteranceId) {
      const utterance = utterances.get(utteranceId);
      if (!utterance) return;
      utterance.played ??= { fromMs: now(), toMs: 0 };
      utterance.played.toMs = now() + FRAME_MS;
    },
    onPlayed(utteranceId) {
      const utterance = utterances.get(utteranceId);
      if (utterance) utterance.ended = { playedMs: utterance.audioMs, cut: false };
      settle(utteranceId);
      if (utteranceId.startsWith(OWN)) ownWaiting--;
      else onPlayed(utteranceId);
    },
  });

  function utteranceOf(id: string): Utterance | undefined {
    if (settled.has(id)) return undefined;
    let utterance = utterances.get(id);
    if (!utterance) {
      utterance = { text: null, source: "model", audioMs: 0, spoken: false, played: null, ended: null };
      utterances.set(id, utterance);
    }
    return utterance;
  }

  /** Makes a turn of an utterance whose playing has ended, once its words are known. */
  function settle(id: string): void {
    const utterance = utterances.get(id);
    if (!utterance?.ended || (utterance.text === null && utterance.audioMs > 0)) return;
    tell(utterance, utterance.ended, utterance.text ?? "", utterance.source);
    utterances.delete(id);
    settled.add(id);
  }

  function tell(
    utterance: Utterance,
    ended: NonNullable<Utterance["ended"]>,
    text: string,
    source: TurnSource,
  ) {
    const total = utterance.spoken ? utterance.audioMs : null;
    const heard = ended.cut ? cutText(text, ended.playedMs, total) : text;
    // Words of which no audio was ever played weren't said.
    if (heard === "" || !utterance.played || ended.playedMs <= 0) return;
    const { fromMs, toMs } = utterance.played;
    onTurn({ role: "agent", source, text: heard, startMs: Math.round(fromMs), endMs: Math.round(toMs) });
  }

  function endOpen(): void {
    for (const [id, utterance] of utterances) {
      if (utterance.audioMs === 0 || utterance.spoken) continue;
      utterance.spoken = true;
      playout.end(id);
    }
  }

  function interrupt(): { utteranceId: string; playedMs: number }[] {
    const flushed = playout.flush();
    if (!flushed) return [];
    const cut = [flushed, ...flushed.unplayed.map((utteranceId) => ({ utteranceId, playedMs: 0 }))];
    for (const { utteranceId, playedMs } of cut) {
      const utterance = utterances.get(utteranceId);
      if (utterance) utterance.ended = { playedMs, cut: true };
      settle(utteranceId);
    }
    ownWaiting = 0;
    starvedFrames = 0;
    return cut
      .filter(({ utteranceId }) => !utteranceId.startsWith(OWN))
      .map(({ utteranceId, playedMs }) => ({ utteranceId, playedMs: Math.round(playedMs) }));
  }

  return {
    audio(id, samples) {
      const utterance = utteranceOf(id);
      if (!utterance || utterance.ended || utterance.spoken || samples.length === 0) return;
      if (utterance.audioMs === 0 && sealed && sealed.utteranceId !== id) {
        utterances.delete(id);
        settled.add(id);
        return;
      }
      begun.add(id);
      utterance.audioMs += samples.length / SAMPLES_PER_MS;
      playout.push(id, samples);
    },
    text(id, text, source) {
      const utterance = utteranceOf(id);
      if (!utterance) return;
      utterance.text = text.trim();
      utterance.source = source;
      settle(id);
    },
    spoken(id) {
      const utterance = utteranceOf(id);
      if (!utterance || utterance.spoken) return;
      utterance.spoken = true;
      playout.end(id);
    },
    own(text, samples) {
      const id = `${OWN}${++ownCount}`;
      ownWaiting++;
      utterances.set(id, {
        text,
        source: "script",
        audioMs: samples.length / SAMPLES_PER_MS,
        spoken: true,
        played: null,
        ended: null,
      });
      playout.push(id, samples);
      playout.end(id);
    },
    next() {
      const frame = playout.next();
      starvedFrames = !playout.isEmpty() && playout.queuedMs() === 0 ? starvedFrames + 1 : 0;
      if (starvedFrames >= STARVED_FRAMES) endOpen();
      return frame;
    },
    interrupt,
    endOpen,
    speaksOwn: () => ownWaiting > 0,
    isQuiet: playout.isEmpty,
    hasBegun: (utteranceId) => begun.has(utteranceId),
    seal(utteranceId) {
      sealed = { utteranceId };
    },
    finish() {
      interrupt();
      for (const utterance of utterances.values()) {
        if (!utterance.ended || utterance.text !== null) continue;
        const seconds = (utterance.ended.playedMs / 1_000).toFixed(1);
        tell(
          { ...utterance, spoken: true },
          { ...utterance.ended, cut: false },
          `[speech, ${seconds} s]`,
          "vad",
        );
      }
      utterances.clear();
    },
  };
}
