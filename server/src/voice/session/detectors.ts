/**
 * What listens to one side of a call, fed 20 ms (160 samples) at a time. Each is made anew for each leg.
 */

/** Finds where speech begins and ends. */
export interface SpeechDetector {
  /** @returns what these 20 ms decided, or null */
  push(samples: Int16Array): SpeechActivity | null;
  /** Releases what it holds. Idempotent. */
  close(): void;
}

export type SpeechActivity =
  | { type: "started" }
  /** `durationMs`: of the speech itself, without the silence that had to pass before it counted as over. */
  | { type: "ended"; durationMs: number };

/** Finds out who answered a phone call. */
export interface MachineDetector {
  /** @returns the verdict, once; null while there is none yet */
  push(samples: Int16Array): AnsweredBy | null;
}

export type AnsweredBy = "human" | "machine" | "unknown";

/** Finds the beep of an answering machine. */
export interface BeepDetector {
  /** @returns true once, when a beep is over (or so long that it must be one) */
  push(samples: Int16Array): boolean;
}

/** Finds keyed digits in the audio, of legs that don't bring them beside it. */
export interface DigitDetector {
  /** @returns a digit `0-9*#A-D` once per press, or null */
  push(samples: Int16Array): string | null;
}

export interface Detectors {
  speech(): SpeechDetector;
  machine(): MachineDetector;
  beep(): BeepDetector;
  digits(): DigitDetector;
}
