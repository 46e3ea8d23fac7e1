import type { Clock } from "../../../clock.ts";
import type { Trunk } from "./trunk.ts";
import type { TrunkLimits } from "./trunk-limits.ts";

/** One call's place at a trunk. */
export interface Line {
  /** Resolves when it is this call's turn. */
  turn: Promise<void>;
  /** Idempotent. */
  release(): void;
}

/** Why there is none. unknown: nobody can tell what is in use. */
export type NoLine = "full" | "late" | "unknown";

/** The calls of this process at the trunks: their channels and turns, and how long a trunk asked to be left alone. */
export interface TrunkLines {
  take(trunk: Trunk): Promise<Line | NoLine>;
  /** The trunk has sent a call: it has a channel of it. @returns to be called once, when the call has ended */
  occupy(trunk: Trunk): () => void;
  /** Channels that nobody uses. */
  free(trunks: readonly Trunk[]): Promise<number>;
  isResting(trunkId: string): boolean;
  rest(trunkId: string, ms: number): void;
  /** Nobody waits for a turn any more. */
  close(): void;
}

export function createTrunkLines(deps: {
  clock: Clock;
  limits: TrunkLimits;
  /** What is in use couldn't be told, or stored. */
  onError(error: unknown): void;
}): TrunkLines {
  const { clock, limits, onError } = deps;
  const restsUntil = new Map<string, number>();
  const waiting = new Set<() => void>();
  let isClosed = false;
  const until = (at: number) =>
    new Promise<void>((resolve) => {
      if (isClosed || at <= clock.now()) return resolve();
      const go = () => {
        waiting.delete(go);
        cancel();
        resolve();
      };
      const cancel = clock.schedule(Math.ceil(at), go);
      waiting.add(go);
    });
  return {
    async take(trunk) {
      // Who has no limits needs nobody to count.
      if (trunk.channels === null && trunk.callsPerSecond === null)
        return { turn: Promise.resolve(), release: () => undefined };
      try {
        const held = await limits.take(trunk);
        return typeof held === "string"
          ? held
          : { turn: until(held.turnAt), release: () => void held.release() };
      } catch (error) {
        onError(error);
        return "unknown";
      }
    },
    occupy(trunk) {
      if (trunk.channels === null) return () => undefined;
      const held = limits.occupy(trunk).catch((error: unknown) => {
        onError(error);
        return null;
      });
      return () => void held.then((line) => line?.release());
    },
    async free(trunks) {
      if (trunks.some(({ channels }) => channels === null)) return Number.POSITIVE_INFINITY;
      return limits.free(trunks);
    },
    isResting: (trunkId) => (restsUntil.get(trunkId) ?? 0) > clock.now(),
    rest: (trunkId, ms) => void restsUntil.set(trunkId, clock.now() + ms),
    close() {
      isClosed = true;
      for (const go of waiting) go();
    },
  };
}
