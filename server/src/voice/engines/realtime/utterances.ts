import { SAMPLE_RATE } from "../../media/media-leg.ts";
import { cutText } from "../../session/cut-text.ts";
import type { Emit } from "../turn-taking/responder.ts";
import type { RecordItem, SpokenRecord } from "./spoken-record.ts";

/** What the model speaks: each item of the server's that has audio is an utterance of ours. */
export interface Utterances {
  audio(itemId: string, samples: Int16Array, name: () => string): void;
  words(itemId: string, part: string, name: () => string): void;
  /** All words of it, which may differ from the parts. */
  allWords(itemId: string, text: string, name: () => string): void;
  /** No more audio of it will come. */
  end(itemId: string): void;
  /** Nothing more will come of any: ends them with the words that are known. */
  endOpen(): void;
  /** @returns what the server has to know; null when it isn't one of these */
  interrupted(utteranceId: string, playedMs: number): { itemId: string; audioEndMs: number } | null;
}

interface Utterance {
  id: string;
  samples: number;
  text: string;
  /** `null` while no words of it were told. */
  told: string | null;
  ended: boolean;
  cutMs: number | null;
  entry: Extract<RecordItem, { kind: "agent" }>;
}

const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;
/** Older ones have been played. */
const MOST_KEPT = 32;

export function createUtterances(emit: Emit, record: SpokenRecord): Utterances {
  const items = new Map<string, Utterance>();

  function utteranceOf(itemId: string, name: () => string): Utterance {
    let utterance = items.get(itemId);
    if (!utterance) {
      const entry = record.add({ kind: "agent" as const, text: "" });
      utterance = { id: name(), samples: 0, text: "", told: null, ended: false, cutMs: null, entry };
      items.set(itemId, utterance);
      if (items.size > MOST_KEPT) items.delete(items.keys().next().value as string);
    }
    return utterance;
  }

  const note = (utterance: Utterance) => {
    const { text, cutMs, samples, entry } = utterance;
    entry.text = cutMs === null ? text : cutText(text, cutMs, samples / SAMPLES_PER_MS);
  };
  const tell = (utterance: Utterance) => {
    if (utterance.told === utterance.text || utterance.text === "" || utterance.samples === 0) return;
    // Of what was cut off the words were told with the cut.
    if (utterance.cutMs !== null && utterance.told !== null) return;
    utterance.told = utterance.text;
    emit({ type: "text", utteranceId: utterance.id, text: utterance.text, source: "model" });
  };
  const end = (utterance: Utterance) => {
    if (utterance.ended || utterance.samples === 0) return;
    utterance.ended = true;
    emit({ type: "spoken", utteranceId: utterance.id });
  };

  return {
    audio(itemId, samples, name) {
      const utterance = utteranceOf(itemId, name);
      if (utterance.ended || samples.length === 0) return;
      utterance.samples += samples.length;
      emit({ type: "audio", utteranceId: utterance.id, samples });
    },
    words(itemId, part, name) {
      const utterance = utteranceOf(itemId, name);
      if (utterance.ended) return;
      utterance.text += part;
      note(utterance);
    },
    allWords(itemId, text, name) {
      const utterance = utteranceOf(itemId, name);
      utterance.text = text;
      note(utterance);
      tell(utterance);
    },
    end(itemId) {
      const utterance = items.get(itemId);
      if (!utterance) return;
      tell(utterance);
      end(utterance);
    },
    endOpen() {
      for (const utterance of items.values()) {
        if (utterance.ended) continue;
        tell(utterance);
        end(utterance);
      }
    },
    interrupted(utteranceId, playedMs) {
      for (const [itemId, utterance] of items) {
        if (utterance.id !== utteranceId) continue;
        utterance.cutMs = Math.max(0, playedMs);
        // Its end first: with it the length is known by which the words are cut.
        end(utterance);
        tell(utterance);
        note(utterance);
        const sentMs = Math.floor(utterance.samples / SAMPLES_PER_MS);
        return { itemId, audioEndMs: Math.min(Math.floor(utterance.cutMs), sentMs) };
      }
      return null;
    },
  };
}
