import type { Trunk } from "./trunk.ts";

/** Whose trunk is meant, and which. */
export type TrunkKey = Pick<Trunk, "id" | "organizationId">;

/** What a call has of a trunk. */
export interface HeldLine {
  /** From when on it may be begun. Milliseconds since the epoch, on the service's clock. */
  turnAt: number;
  /** Idempotent, never rejects. Whoever asks here from now on finds the channel free. */
  release(): Promise<void>;
}

/**
 * What of the trunks' channels and of their calls a second is in use, by whichever process: features/trunks. Every implementation
 * passes the suite in `trunk-limits.contract.ts`. All of it rejects when that can't be told.
 */
export interface TrunkLimits {
  /**
   * A channel and a turn, never more than there are.
   * @param trunk one with `channels`, with `callsPerSecond`, or both
   * @returns full: no channel is free · late: it would have to wait longer than `LONGEST_WAIT_MS` · either, when the trunk is gone
   */
  take(trunk: TrunkKey & Pick<Trunk, "channels" | "callsPerSecond">): Promise<HeldLine | "full" | "late">;
  /** Counts a call that is there already, also above the limit. */
  occupy(trunk: TrunkKey): Promise<HeldLine>;
  /** How many channels nobody uses. @param trunks those with `channels` */
  free(trunks: readonly (TrunkKey & Pick<Trunk, "channels">)[]): Promise<number>;
}

/** A call that would wait longer for its turn isn't taken. */
export const LONGEST_WAIT_MS = 20_000;
