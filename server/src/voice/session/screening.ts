import { FRAME_MS } from "../media/media-leg.ts";
import type { AnsweredBy, BeepDetector, MachineDetector } from "./detectors.ts";

export interface Verdict {
  answeredBy: AnsweredBy;
  /** The machine's beep has been heard already: it records. */
  beeped: boolean;
}

/** Decides by then, whatever was heard: 5 s of the answer, and the tick that is under way. */
const DECIDES_WITHIN_MS = 4_980;

/** Finds out who answered. @returns a function to be given every 20 ms: the verdict, once, or null */
export function createScreening(
  machine: MachineDetector,
  beep: BeepDetector,
): (samples: Int16Array) => Verdict | null {
  let elapsedMs = 0;
  return (samples) => {
    elapsedMs += FRAME_MS;
    // People don't beep.
    if (beep.push(samples)) return { answeredBy: "machine", beeped: true };
    const answeredBy = machine.push(samples);
    if (answeredBy) return { answeredBy, beeped: false };
    return elapsedMs >= DECIDES_WITHIN_MS ? { answeredBy: "unknown", beeped: false } : null;
  };
}
