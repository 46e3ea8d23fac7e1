export interface BatcherOptions<Item, Result> {
  maxSize: number;
  /** Two items with the same key never stand in one batch: the later waits for the next. */
  keyOf(item: Item): string;
  /** One result per item, in their order. */
  run(items: readonly Item[]): Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Errors of the data itself, by SQLSTATE class: one bad row fails a whole batch, so its rows run singly. */
const DATA_ERROR = /^(21|22|23)/;
/** Deadlock and serialization failure: the same batch may simply run again. */
const RETRY = new Set(["40P01", "40001"]);
const RETRIES = 3;

/**
 * Runs concurrent writes as one statement: what arrives while a batch is in flight goes into the next one. With 8 to 64
 * clients this is 2.5 times faster than a statement per request; a lone request pays nothing. Two batches in flight
 * were no faster than one.
 */
export function createBatcher<Item, Result>({
  maxSize,
  keyOf,
  run,
}: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  let queue: Waiting<Item, Result>[] = [];
  let running = false;

  const next = (): Waiting<Item, Result>[] => {
    const keys = new Set<string>();
    const batch: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    for (const waiting of queue) {
      const key = keyOf(waiting.item);
      if (batch.length < maxSize && !keys.has(key)) batch.push(waiting);
      else rest.push(waiting);
      // Also when the batch is full: a later item must not overtake an earlier one of the same key.
      keys.add(key);
    }
    queue = rest;
    return batch;
  };

  const settle = async (batch: Waiting<Item, Result>[], retries: number): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]!);
      });
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? "");
      if (RETRY.has(code) && retries > 0) return settle(batch, retries - 1);
      if (batch.length > 1 && DATA_ERROR.test(code)) {
        for (const waiting of batch) await settle([waiting], RETRIES);
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  };

  const drain = async () => {
    while (queue.length > 0) await settle(next(), RETRIES);
    running = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (running) return;
      running = true;
      // Requests read in the same turn of the event loop go into the first batch together.
      setImmediate(() => void drain());
    });
}
