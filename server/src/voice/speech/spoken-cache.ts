export interface SpokenCache {
  /**
   * What is kept under this key, else what `speak` makes. Two who ask for the same at once share one `speak`; a failure is
   * told to both and not kept.
   *
   * @returns shared with others: not to be changed
   */
  get(key: string, speak: () => Promise<Int16Array>): Promise<Int16Array>;
  /** Bytes of audio and keys that are kept. */
  readonly bytes: number;
}

/** Keeps the audio last used, up to so many bytes. */
export function createSpokenCache(maxBytes: number): SpokenCache {
  const kept = new Map<string, Int16Array>();
  const running = new Map<string, Promise<Int16Array>>();
  let bytes = 0;
  const sizeOf = (key: string, samples: Int16Array) => samples.byteLength + 2 * key.length;

  function keep(key: string, samples: Int16Array) {
    const size = sizeOf(key, samples);
    // One that would push out a good part of all others isn't worth it.
    if (size > maxBytes / 4) return;
    kept.set(key, samples);
    bytes += size;
    for (const [oldest, audio] of kept) {
      if (bytes <= maxBytes) return;
      kept.delete(oldest);
      bytes -= sizeOf(oldest, audio);
    }
  }

  return {
    async get(key, speak) {
      const found = kept.get(key);
      if (found) {
        kept.delete(key);
        kept.set(key, found);
        return found;
      }
      const same = running.get(key);
      if (same) return same;
      const spoken = speak();
      running.set(key, spoken);
      try {
        const samples = await spoken;
        keep(key, samples);
        return samples;
      } finally {
        running.delete(key);
      }
    },
    get bytes() {
      return bytes;
    },
  };
}
