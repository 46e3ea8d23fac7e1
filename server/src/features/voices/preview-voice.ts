import type { Logger } from "pino";
import { DomainError } from "../../domain-error.ts";
import { findVoice, type Speech, wavFile } from "../../voice/speech/index.ts";

const SAMPLE_RATE = 16_000;

/** The same for every voice, so that they can be compared. */
const SAMPLE_TEXT =
  "Hello, and thank you for taking my call. I can answer your questions, or book an appointment. How may I help you today?";

/**
 * @returns a WAV file
 * @throws DomainError not_found, preview_failed
 */
export async function previewVoice(deps: { speech: Speech; logger: Logger }, id: string): Promise<Buffer> {
  const voice = findVoice(id);
  if (!voice) throw new DomainError("not_found", "There is no voice with this id: GET /voices lists them.");
  try {
    return wavFile(await deps.speech.synthesize(SAMPLE_TEXT, voice.id, SAMPLE_RATE), SAMPLE_RATE);
  } catch (error) {
    deps.logger.error({ err: error, voice: voice.id }, "speaking a voice's preview failed");
    throw new DomainError("preview_failed", "The sample could not be spoken. Try again.");
  }
}
