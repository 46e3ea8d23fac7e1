import type { Clock } from "../clock.ts";

/** A clock that jumps from one thing that is due to the next, so that days pass in minutes. */
export interface VirtualClock extends Clock {
  /** When the next scheduled thing is due; null: nothing is. */
  next(): number | null;
  /** Moves on to `at`, which isn't in its past, and runs what is due until then, in order. */
  moveTo(at: number): void;
}

interface Entry {
  at: number;
  order: number;
  callback: (() => void) | null;
}

/** @param startAt milliseconds since the epoch */
export function virtualClock(startAt: number): VirtualClock {
  let current = startAt;
  let order = 0;
  // A binary heap: a day has a hundred thousand entries.
  const heap: Entry[] = [];
  const isBefore = (one: Entry, two: Entry) =>
    one.at < two.at || (one.at === two.at && one.order < two.order);

  function push(entry: Entry): void {
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  function pop(): Entry {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  /** Cancelled ones stay in the heap until it is their turn. */
  function dropCancelled(): void {
    while (heap.length > 0 && heap[0]!.callback === null) pop();
  }

  return {
    now: () => current,
    schedule(at, callback) {
      const entry: Entry = { at: Math.max(at, current), order: order++, callback };
      push(entry);
      return () => {
        entry.callback = null;
      };
    },
    next() {
      dropCancelled();
      return heap[0]?.at ?? null;
    },
    moveTo(at) {
      if (at < current) throw new Error("A clock doesn't run backwards.");
      for (dropCancelled(); heap.length > 0 && heap[0]!.at <= at; dropCancelled()) {
        const { at: due, callback } = pop();
        current = due;
        callback?.();
      }
      current = at;
    },
  };
}
