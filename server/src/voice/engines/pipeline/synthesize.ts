import type { Speech } from "../../speech/speech.ts";
import type { EngineMeter } from "../engine-meter.ts";
import { createAudioReader } from "./audio-reader.ts";
import { askModel, type ModelAsk, ModelTrouble, troubleOf, twice } from "./model-request.ts";

export interface SynthesizeDeps {
  /** Null: the embedded voices. */
  server: ModelAsk["server"] | null;
  dispatcher: ModelAsk["dispatcher"];
  withinMs: number;
  speech: Speech;
  meter: EngineMeter;
  /** The catalog's, and the server's name of it. */
  voice: { id: string; name: string };
}

/** Speaks sentences of one conversation. */
export interface Synthesizer {
  /** Its audio, as it comes. @throws only when the embedded voices fail, too, or the signal is aborted */
  speak(sentence: string, signal: AbortSignal): AsyncGenerator<Int16Array>;
}

/** A sentence takes less. */
const LONGEST_SAMPLES = 8_000 * 120;

/**
 * Text to speech: `POST /audio/speech`. A sentence that the server can't speak is spoken by an embedded voice, and so
 * are all that follow: one agent with two voices is strange enough.
 */
export function createSynthesizer(deps: SynthesizeDeps): Synthesizer {
  const { server, speech, meter, voice, ...ask } = deps;
  let hasGivenUp = server === null;

  async function* fromServer(of: ModelAsk["server"], input: string, signal: AbortSignal) {
    const { body, headers } = await twice(
      (kind) => meter.trouble("pipeline", kind),
      signal,
      () =>
        askModel({
          ...ask,
          server: of,
          signal,
          path: "/audio/speech",
          contentType: "application/json",
          body: JSON.stringify({ model: of.model, voice: voice.name, input, response_format: "wav" }),
        }),
    );
    const read = createAudioReader(String(headers["content-type"] ?? ""));
    let length = 0;
    for await (const bytes of body) {
      const samples = read(bytes as Buffer);
      length += samples.length;
      if (length > LONGEST_SAMPLES) throw new ModelTrouble("garbage", "speech had no end");
      if (samples.length > 0) yield samples;
    }
    if (length === 0) throw new ModelTrouble("garbage", "speech had no sound");
  }

  return {
    async *speak(sentence, signal) {
      if (server && !hasGivenUp) {
        let hasBegun = false;
        try {
          for await (const samples of fromServer(server, sentence, signal)) {
            hasBegun = true;
            yield samples;
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          // What went wrong before any audio came has been counted where it was tried twice.
          if (hasBegun) meter.trouble("pipeline", "half_answer");
          else if (troubleOf(error).kind === "garbage") meter.trouble("pipeline", "garbage");
          hasGivenUp = true;
          // The beginning has been heard: the sentence isn't begun again in another voice.
          if (hasBegun) return;
        }
      }
      yield await speech.synthesize(sentence, voice.id);
    },
  };
}
