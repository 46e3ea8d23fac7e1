/** Learns how late packets come, and so how long audio must wait in order to be there when its turn comes. */
export interface ArrivalDelays {
  /** @param transitMs arrival minus media time: only differences between packets mean anything */
  arrived(transitMs: number): void;
  /** The transit of the fastest packet lately. */
  fastestMs(): number;
  /** After waiting so long behind the fastest nearly every packet is there. */
  neededMs(): number;
}

/** About five seconds of packets. */
const REMEMBERED = 256;
const BIN_MS = 4;
const BINS = 64;
/** One packet in a hundred may be later. */
const ON_TIME = 0.99;
/** Of so few packets nothing is known yet. */
const TOO_FEW = 16;
const FIRST_GUESS_MS = 40;

export function createArrivalDelays(): ArrivalDelays {
  const recent = new Uint8Array(REMEMBERED);
  const bins = new Uint16Array(BINS);
  let count = 0;
  let fastestBefore = Number.POSITIVE_INFINITY;
  let fastestNow = Number.POSITIVE_INFINITY;
  let needed = FIRST_GUESS_MS;
  const fastest = () => Math.min(fastestBefore, fastestNow);

  return {
    arrived(transitMs) {
      const at = count % REMEMBERED;
      if (at === 0) {
        // The fastest of the last five to ten seconds: clocks drift, and routes change.
        fastestBefore = fastestNow;
        fastestNow = Number.POSITIVE_INFINITY;
      }
      fastestNow = Math.min(fastestNow, transitMs);
      if (count >= REMEMBERED) bins[recent[at]!]!--;
      const bin = Math.min(BINS - 1, Math.floor((transitMs - fastest()) / BIN_MS));
      recent[at] = bin;
      bins[bin]!++;
      count++;
      if (count < TOO_FEW) return;
      let onTime = Math.ceil(Math.min(count, REMEMBERED) * ON_TIME);
      let slowest = 0;
      for (; slowest < BINS; slowest++) {
        onTime -= bins[slowest]!;
        if (onTime <= 0) break;
      }
      needed = (slowest + 1) * BIN_MS;
    },
    fastestMs: fastest,
    neededMs: () => needed,
  };
}
