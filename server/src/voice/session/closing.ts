import { FRAME_MS } from "../media/media-leg.ts";
import type { Speaker } from "./speaker.ts";

export interface ClosingOptions {
  speaker: Speaker;
  /** The last sentence; null when the engine has said its own. */
  sentence: string | null;
  /** Over after this at the latest. */
  withinMs: number;
  /** Asks the engine for the sentence, under this id. @returns false when it can't be asked any more */
  askEngine(sentence: string, utteranceId: string): boolean;
  /** Says it without the engine. @returns false when that can't be done either */
  sayOwn(sentence: string): Promise<boolean>;
  onDone(): void;
}

/** An engine that hasn't begun the last sentence by then won't say it. */
const ENGINE_BEGINS_WITHIN_MS = 2_000;
/** What was sent last must arrive before the line is cut; and what an engine still had to say may follow its tool call. */
const QUIET_MS = 500;
const LAST_WORDS = "last-words";

/**
 * Lets the last words be played, and then ends the call: within bounds, whatever the engine does.
 * @returns to be called every 20 ms, after the frame has been sent
 */
export function startClosing(options: ClosingOptions): () => void {
  const { speaker, sentence, withinMs, onDone } = options;
  let elapsedMs = 0;
  let quietMs = 0;
  let done = false;
  let own: "unasked" | "coming" | "said" | "impossible" = "unasked";

  const sayOwn = (text: string) => {
    own = "coming";
    // Should the engine come with it after all: it isn't said twice.
    speaker.seal(null);
    options.sayOwn(text).then(
      (said) => (own = said ? "said" : "impossible"),
      () => (own = "impossible"),
    );
  };
  if (sentence !== null) {
    speaker.seal(LAST_WORDS);
    if (!options.askEngine(sentence, LAST_WORDS)) sayOwn(sentence);
  }

  return () => {
    if (done) return;
    elapsedMs += FRAME_MS;
    const begun = sentence === null || speaker.hasBegun(LAST_WORDS) || own === "said" || own === "impossible";
    quietMs = begun && speaker.isQuiet() ? quietMs + FRAME_MS : 0;
    if (!begun && own === "unasked" && elapsedMs >= ENGINE_BEGINS_WITHIN_MS) sayOwn(sentence);
    if (quietMs < QUIET_MS && elapsedMs < withinMs) return;
    done = true;
    onDone();
  };
}
