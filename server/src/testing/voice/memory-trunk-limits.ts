import type { Clock } from "../../clock.ts";
import { LONGEST_WAIT_MS, type TrunkLimits } from "../../voice/carriers/sip/trunk-limits.ts";

/** Counts what of the trunks' limits is in use by one process, without a database. */
export function memoryTrunkLimits(clock: Pick<Clock, "now">): TrunkLimits {
  const states = new Map<string, { busy: number; nextTurnAt: number }>();
  const stateOf = (id: string) => {
    const state = states.get(id) ?? { busy: 0, nextTurnAt: 0 };
    states.set(id, state);
    return state;
  };
  const hold = (id: string, turnAt: number) => {
    stateOf(id).busy++;
    let isReleased = false;
    return {
      turnAt,
      async release() {
        if (!isReleased) stateOf(id).busy--;
        isReleased = true;
      },
    };
  };
  return {
    async take({ id, channels, callsPerSecond }) {
      const state = stateOf(id);
      if (channels !== null && state.busy >= channels) return "full";
      const now = clock.now();
      if (callsPerSecond === null) return hold(id, now);
      const turnAt = Math.max(now, state.nextTurnAt);
      if (turnAt - now > LONGEST_WAIT_MS) return "late";
      state.nextTurnAt = turnAt + 1_000 / callsPerSecond;
      return hold(id, turnAt);
    },
    occupy: async ({ id }) => hold(id, clock.now()),
    free: async (trunks) =>
      trunks.reduce((free, { id, channels }) => free + Math.max(0, (channels ?? 0) - stateOf(id).busy), 0),
  };
}
