import type { Logger } from "pino";
import type { TranscriptTurn } from "../transcript.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { SpeechDetector } from "./detectors.ts";
import type { HeardTurns } from "./heard-turns.ts";
import type { Achievements, Ending } from "./outcomes.ts";
import type { PortQueue } from "./port-queue.ts";
import type { CallPorts, CallSetup } from "./ports.ts";
import type { Speaker } from "./speaker.ts";

/** What the parts of one call share. */
export interface CallContext {
  readonly setup: CallSetup;
  readonly ports: CallPorts;
  readonly queue: PortQueue;
  readonly logger: Logger;
  /** Milliseconds of media since the answer. */
  now(): number;
  readonly speaker: Speaker;
  readonly recorder: CallRecorder;
  /** What the person says, as turns. */
  readonly heard: HeardTurns;
  readonly achieved: Achievements;
  /** A sentence in the agent's voice. */
  synthesize(text: string): Promise<Int16Array>;
  /** Stores a line of the transcript, and tells whoever listens. */
  turn(turn: TranscriptTurn): void;
  createSpeechDetector(): SpeechDetector;
  /** The call is over, or ends in this moment. */
  isOver(): boolean;
  /** Ends the call; does nothing when it has ended. */
  finish(ending: Ending): void;
}
