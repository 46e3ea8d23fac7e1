/** Takes from a source at once, whether or not anybody takes from it yet. A failure comes where it would have come. */
export function prefetch<Item>(
  source: AsyncIterable<Item>,
): AsyncIterable<Item> & { readonly ended: Promise<void> } {
  const items: Item[] = [];
  let isOver = false;
  let failure: { error: unknown } | null = null;
  let wake: () => void = () => undefined;
  const ended = (async () => {
    try {
      for await (const item of source) {
        items.push(item);
        wake();
      }
    } catch (error) {
      failure = { error };
    }
    isOver = true;
    wake();
  })();
  return {
    ended,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (failure) throw failure.error;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
