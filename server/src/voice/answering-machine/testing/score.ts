import { FRAME_MS, FRAME_SAMPLES } from "../../media/media-leg.ts";
import { createBeepDetector } from "../beep-detector.ts";
import { createMachineDetector, type Verdict } from "../machine-detector.ts";
import type { Greeting } from "./greeting-set.ts";

/** 160 samples each; the rest that isn't a whole frame is left out. */
export function* framesOf(samples: Int16Array): Generator<Int16Array> {
  for (let at = 0; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES)
    yield samples.subarray(at, at + FRAME_SAMPLES);
}

/** @throws Error when there is none within the greeting */
export function verdictOn(samples: Int16Array): Verdict {
  const detector = createMachineDetector();
  for (const frame of framesOf(samples)) {
    const verdict = detector.push(frame);
    if (verdict) return verdict;
  }
  throw new Error("no verdict");
}

/** Unknown counts as human. */
export function isRight(verdict: Verdict, { answeredBy }: Greeting): boolean {
  return (verdict.by === "machine") === (answeredBy === "machine");
}

/** When beeps were reported, milliseconds. */
export function beepsIn(samples: Int16Array): number[] {
  const detector = createBeepDetector();
  return [...framesOf(samples)].flatMap((frame, index) =>
    detector.push(frame) ? [(index + 1) * FRAME_MS] : [],
  );
}
