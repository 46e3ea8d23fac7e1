/** Text to speech that needs no account: the embedded voices, in a worker thread. */
export interface Speech {
  /**
   * @param voice an id of the voice catalog
   * @returns 8 kHz, mono, 16-bit. Short texts are kept, so that a sentence said often costs nothing the next time.
   * @throws Error when the worker died; the next call starts a new one
   */
  synthesize(text: string, voice: string): Promise<Int16Array>;
  close(): Promise<void>;
}
