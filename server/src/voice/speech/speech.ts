/** Text to speech that needs no account: the embedded voices, in a worker thread. */
export interface Speech {
  /**
   * @param voice an id of the voice catalog
   * @param sampleRate default 8000: what calls are made of. 16000 for what is listened to outside of a call.
   * @returns mono, 16-bit, at most 20 ms of silence before and after; the caller's own to change. Empty when the text has
   *   nothing that can be spoken. Short texts are kept, so that a sentence said often costs nothing the next time.
   * @throws Error when the worker died; the next call starts a new one
   */
  synthesize(text: string, voice: string, sampleRate?: SpeechSampleRate): Promise<Int16Array>;
  /** Requests that still wait are rejected. Idempotent. */
  close(): Promise<void>;
}

export type SpeechSampleRate = 8_000 | 16_000;
