import type { Carrier } from "../../voice/carriers/carrier.ts";
import type { VoicePlane } from "../../voice/session/voice-plane.ts";

/** The calls that this process runs, and what it places them with. */
export interface VoiceHost {
  plane: VoicePlane;
  /** By the name that numbers carry. */
  carriers: ReadonlyMap<string, Carrier>;
  /** Names this process as the owner of its calls. */
  ownerId: string;
  /** Calls that are stored, but that the plane doesn't run yet, or no longer: their leases are kept up all the same. */
  between: Set<string>;
}

/** How long a process that says nothing is believed to live. */
export const LEASE_MS = 30_000;
