import { SAMPLE_RATE } from "../../media/media-leg.ts";
import { cutText } from "../../session/cut-text.ts";
import type { TurnSource } from "../../transcript.ts";
import type { Emit } from "../turn-taking/responder.ts";
import { prefetch } from "./prefetch.ts";
import type { Synthesizer } from "./synthesize.ts";

export interface SpokenAnswerOptions {
  utteranceId: string;
  source: TurnSource;
  synthesizer: Synthesizer;
  signal: AbortSignal;
  emit: Emit;
  /** What of it counts as said changes. */
  onSaid(text: string): void;
  /** A sentence's first audio, and how long after it was asked for. */
  onAudio(seconds: number): void;
}

/** One utterance, spoken sentence by sentence as they come: the next is made while one is played. */
export interface SpokenAnswer {
  /** @throws what the voices throw; the signal's reason when that is aborted */
  say(sentence: string): void;
  /** Resolves when all audio has been handed over. */
  end(): Promise<void>;
  /** Only so much was heard. */
  cut(playedMs: number): void;
  readonly hasSentences: boolean;
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;

export function createSpokenAnswer(options: SpokenAnswerOptions): SpokenAnswer {
  const { utteranceId, source, synthesizer, signal, emit, onSaid } = options;
  const spoken: { text: string; samples: number }[] = [];
  let count = 0;
  let isOpen = false;
  let isCut = false;
  let handedOver: Promise<void> = Promise.resolve();
  /** One is handed over while the next is made, and no more are asked for. */
  let made: Promise<unknown>[] = [];

  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    emit({ type: "spoken", utteranceId });
  };

  async function* timed(text: string, before: Promise<unknown> | undefined) {
    await before;
    signal.throwIfAborted();
    const askedAt = performance.now();
    let isFirst = true;
    for await (const samples of synthesizer.speak(text, signal)) {
      if (isFirst) options.onAudio((performance.now() - askedAt) / 1_000);
      isFirst = false;
      yield samples;
    }
  }

  async function handOver(text: string, audio: AsyncIterable<Int16Array>, before: Promise<void>) {
    await before;
    const sentence = { text, samples: 0 };
    for await (const samples of audio) {
      if (signal.aborted || isCut) break;
      if (sentence.samples === 0) {
        spoken.push(sentence);
        const said = spoken.map((other) => other.text).join(" ");
        onSaid(said);
        emit({ type: "text", utteranceId, text: said, source });
      }
      sentence.samples += samples.length;
      isOpen = true;
      emit({ type: "audio", utteranceId, samples });
    }
    if (signal.aborted) close();
    signal.throwIfAborted();
  }

  return {
    say(text) {
      count++;
      const audio = prefetch(timed(text, made.at(-2)));
      made = [...made.slice(-1), audio.ended];
      handedOver = handOver(text, audio, handedOver);
      // Whoever waits for the end hears of it.
      handedOver.catch(() => undefined);
    },
    async end() {
      try {
        await handedOver;
      } finally {
        close();
      }
    },
    cut(playedMs) {
      isCut = true;
      let left = playedMs * SAMPLES_PER_MS;
      const heard: string[] = [];
      for (const { text, samples } of spoken) {
        heard.push(left >= samples ? text : cutText(text, left / SAMPLES_PER_MS, samples / SAMPLES_PER_MS));
        left -= samples;
        if (left <= 0) break;
      }
      onSaid(heard.filter(Boolean).join(" "));
      close();
    },
    get hasSentences() {
      return count > 0;
    },
  };
}
