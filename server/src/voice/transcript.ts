export const TURN_ROLES = ["agent", "user", "tool"] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

/** Where a turn's words come from. `vad`: nobody has read the speech, and its text says so: `[speech, 1.9 s]`. */
export const TURN_SOURCES = ["model", "stt", "script", "simulated", "dtmf", "vad"] as const;
export type TurnSource = (typeof TURN_SOURCES)[number];

export interface TranscriptTurn {
  role: TurnRole;
  source: TurnSource;
  /** Of a turn that was cut off: only what was played. */
  text: string;
  /** Milliseconds from the answer. */
  startMs: number;
  endMs: number;
}
