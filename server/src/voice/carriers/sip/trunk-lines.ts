import type { Clock } from "../../../clock.ts";
import type { Trunk } from "./trunk.ts";

/** One call's place at a trunk. */
export interface Line {
  /** Resolves when it is this call's turn. */
  turn: Promise<void>;
  /** Idempotent. */
  release(): void;
}

/** What of the trunks is in use by this process: channels, turns, and how long a trunk asked to be left alone. */
export interface TrunkLines {
  /** @returns null when its channels are full, or its turns are given away for too long */
  take(trunk: Trunk): Line | null;
  /** Channels that nobody uses. */
  free(trunk: Pick<Trunk, "id" | "channels">): number;
  isResting(trunkId: string): boolean;
  rest(trunkId: string, ms: number): void;
  /** Nobody waits for a turn any more. */
  close(): void;
}

/** A call that would wait longer for its turn isn't taken. */
const LONGEST_WAIT_MS = 20_000;

export function createTrunkLines(clock: Clock): TrunkLines {
  const states = new Map<string, { busy: number; nextTurnAt: number; restsUntil: number }>();
  const waiting = new Set<() => void>();
  const stateOf = (trunkId: string) => {
    const known = states.get(trunkId);
    if (known) return known;
    const fresh = { busy: 0, nextTurnAt: 0, restsUntil: 0 };
    states.set(trunkId, fresh);
    return fresh;
  };
  const until = (at: number) =>
    new Promise<void>((resolve) => {
      const go = () => {
        waiting.delete(go);
        cancel();
        resolve();
      };
      const cancel = clock.schedule(at, go);
      waiting.add(go);
    });
  return {
    take({ id, channels, callsPerSecond }) {
      const state = stateOf(id);
      if (channels !== null && state.busy >= channels) return null;
      const now = clock.now();
      const turnAt = Math.max(now, state.nextTurnAt);
      if (callsPerSecond !== null) {
        if (turnAt - now > LONGEST_WAIT_MS) return null;
        state.nextTurnAt = turnAt + 1_000 / callsPerSecond;
      }
      state.busy++;
      let isReleased = false;
      return {
        turn: callsPerSecond === null || turnAt <= now ? Promise.resolve() : until(Math.ceil(turnAt)),
        release() {
          if (!isReleased) state.busy--;
          isReleased = true;
        },
      };
    },
    free: ({ id, channels }) =>
      channels === null ? Number.POSITIVE_INFINITY : Math.max(0, channels - stateOf(id).busy),
    isResting: (trunkId) => stateOf(trunkId).restsUntil > clock.now(),
    rest(trunkId, ms) {
      stateOf(trunkId).restsUntil = clock.now() + ms;
    },
    close() {
      for (const go of waiting) go();
    },
  };
}
