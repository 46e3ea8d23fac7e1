/** Puts chunks of audio into the order in which they were said. */
export interface ChunkOrder {
  /**
   * @param chunk its number; one that is none is taken as it comes
   * @returns what can be heard now, in its order: nothing, this chunk, or it and those that waited for it
   */
  take(chunk: number, payload: Uint8Array): readonly Uint8Array[];
}

/** So many chunks (of 20 ms) are waited for one that is missing: then it counts as lost. */
const MOST_WAITING = 4;
/** So many in a row that are too late: they aren't numbered as we think, and hearing them in any order beats silence. */
const MOST_LATE = 10;

export function createChunkOrder(): ChunkOrder {
  const waiting = new Map<number, Uint8Array>();
  let next: number | null = null;
  let lateInARow = 0;
  let isGivenUp = false;

  function release(): Uint8Array[] {
    const released: Uint8Array[] = [];
    for (let payload = waiting.get(next!); payload; payload = waiting.get(next!)) {
      released.push(payload);
      waiting.delete(next!);
      next!++;
    }
    return released;
  }

  return {
    take(chunk, payload) {
      if (isGivenUp || !Number.isSafeInteger(chunk)) return [payload];
      next ??= chunk;
      if (chunk < next) {
        isGivenUp = ++lateInARow >= MOST_LATE;
        return [];
      }
      lateInARow = 0;
      waiting.set(chunk, payload);
      const released = release();
      if (waiting.size < MOST_WAITING) return released;
      next = Math.min(...waiting.keys());
      return [...released, ...release()];
    },
  };
}
