import type { Speech } from "../../speech/speech.ts";
import type { EngineEvent } from "../engine.ts";

/** Turns lines into utterances, one after the other. */
export interface Mouth {
  /** @returns when all its audio has been handed over: false when it was dropped, or cut in on */
  say(text: string, utteranceId?: string): Promise<boolean>;
  /** Something is being said, or has been handed over and isn't played yet. */
  readonly busy: boolean;
  played(utteranceId: string): void;
  /** The person cut in: drops what isn't handed over yet. */
  interrupted(): void;
  close(): void;
}

/** Speech is made sentence by sentence, so that the first is heard while the next is being made. */
const SENTENCES = /[^.!?]+[.!?]*["')\]]*\s*/g;

/** @param onFailed speech can't be made */
export function createMouth(
  speech: Speech,
  voice: string,
  emit: (event: EngineEvent) => void,
  onFailed: (error: unknown) => void,
): Mouth {
  const open = new Set<string>();
  let count = 0;
  let generation = 0;
  let closed = false;
  let tail: Promise<unknown> = Promise.resolve();

  const speak = async (utteranceId: string, text: string, since: number): Promise<boolean> => {
    const isDropped = () => closed || generation !== since;
    if (isDropped()) return false;
    let isFirst = true;
    for (const sentence of text.match(SENTENCES) ?? [text]) {
      const samples = await speech.synthesize(sentence.trim(), voice);
      if (isDropped()) break;
      if (isFirst) emit({ type: "text", utteranceId, text, source: "script" });
      isFirst = false;
      emit({ type: "audio", utteranceId, samples });
    }
    if (isDropped()) return false;
    emit({ type: "spoken", utteranceId });
    return true;
  };

  return {
    say(text, utteranceId = `line-${++count}`) {
      const since = generation;
      open.add(utteranceId);
      const said = tail.then(() => speak(utteranceId, text, since));
      tail = said.catch((error: unknown) => {
        open.delete(utteranceId);
        if (!closed) onFailed(error);
      });
      return said.catch(() => false);
    },
    get busy() {
      return open.size > 0;
    },
    played: (utteranceId) => void open.delete(utteranceId),
    interrupted() {
      generation++;
      open.clear();
    },
    close() {
      closed = true;
    },
  };
}
