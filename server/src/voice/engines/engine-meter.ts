/** Where engines tell how they are doing, for the metrics. */
export interface EngineMeter {
  /** One stage of one turn took so long: `stt`, `llm` (to the first sentence), `tts` (to its first audio), `turn` (all of it). */
  stage(engine: string, stage: "stt" | "llm" | "tts" | "turn", seconds: number): void;
  /** A provider misbehaved: `refused`, `rate_limited`, `timeout`, `silent`, `dropped`, `half_answer`, `garbage`, `failed`. */
  trouble(engine: string, kind: TroubleKind): void;
  /** What the provider counted for billing. */
  tokens(engine: string, direction: "input" | "output", count: number): void;
  /** Another engine took over, at the start of a call or in it. */
  fellBack(from: string, to: string): void;
}

export type TroubleKind =
  | "refused"
  | "rate_limited"
  | "timeout"
  | "silent"
  | "dropped"
  | "half_answer"
  | "garbage"
  | "failed";
