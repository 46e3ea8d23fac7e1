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
  /** How many more calls may be started here: 0 while it is drained. */
  room(): number;
  isDraining(): boolean;
  /** Runs a start, which takes its place from now on, and which a drain lets end. */
  starting<Result>(start: () => Promise<Result>): Promise<Result>;
  /** No call is started here any more. Resolves when the last one has ended. */
  drain(): Promise<void>;
}

/** How long a process that says nothing is believed to live. */
export const LEASE_MS = 30_000;

/** A voice process tells that it lives every 5 seconds: one that hasn't for so long takes no calls. Milliseconds. */
export const SEEN_WITHIN_MS = 15_000;

/** @param options `mostCalls`: how many may run here at a time; `onDraining`: told once, when a drain begins */
export function createVoiceHost(options: {
  plane: VoicePlane;
  carriers: readonly Carrier[];
  ownerId: string;
  mostCalls: number;
  onDraining(): void;
}): VoiceHost {
  const { plane } = options;
  const starts = new Set<Promise<unknown>>();
  let draining = false;
  return {
    plane,
    carriers: new Map(options.carriers.map((carrier) => [carrier.name, carrier])),
    ownerId: options.ownerId,
    between: new Set(),
    room: () => (draining ? 0 : Math.max(0, options.mostCalls - plane.running().length - starts.size)),
    isDraining: () => draining,
    async starting(start) {
      const started = start();
      starts.add(started);
      try {
        return await started;
      } finally {
        starts.delete(started);
      }
    },
    async drain() {
      if (!draining) options.onDraining();
      draining = true;
      // Before the plane refuses: what has been promised a place has it.
      while (starts.size > 0) await Promise.allSettled(starts);
      await plane.drain();
    },
  };
}
