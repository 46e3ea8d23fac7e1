import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { CallStatus } from "../call-states.ts";
import type { VoiceEngine } from "../engines/engine.ts";
import type { MediaLeg } from "../media/media-leg.ts";
import type { Speech } from "../speech/speech.ts";
import type { TranscriptTurn } from "../transcript.ts";
import type { Detectors } from "./detectors.ts";
import type { Ending } from "./outcomes.ts";
import type { CallPorts, CallSetup } from "./ports.ts";
import type { ToolGates } from "./tool-gate.ts";

export interface CallSessionDeps {
  clock: Clock;
  mediaClock: { add(tick: (frameIndex: number) => void): () => void };
  engine: VoiceEngine;
  speech: Speech;
  detectors: Detectors;
  toolGates: ToolGates;
  logger: Logger;
  /** So long may a human's phone ring in a transfer. */
  ringTimeoutMs: number;
}

/** One call, from the moment its engine is open. Told by its carrier or browser what happens to it. */
export interface CallSession {
  status(): CallStatus;
  /** It rings, or the browser's offer was answered. @returns when that is stored, or never will be */
  ringing(): Promise<void>;
  /** Media flows. @param screen whether an answering machine may have answered */
  answered(leg: MediaLeg, screen: boolean): void;
  /** Words that the carrier knows the person said. */
  said(text: string): void;
  /** A digit that came by another way than the media. */
  keyed(digit: string): void;
  /** The far side has hung up, or is gone. */
  left(reason: string): void;
  /** Ends the call. Does nothing when it has ended. */
  finish(ending: Ending): void;
  hangup(reason: string): Promise<void>;
  /** The person has said elsewhere that they don't want to be called: one sentence tells that it was heard, where somebody talks. */
  optedOut(reason: string): Promise<void>;
  readonly ended: Promise<void>;
  onTurn(listener: (turn: TranscriptTurn) => void): void;
  /** The call was placed: from now on its end is told to the ports. */
  placed(): void;
  /** Gives up a session whose call was never placed: nothing is told to the ports. */
  discard(): void;
  /** Why the engine can't go on already, or null. */
  engineFailure(): string | null;
}

export interface CallSessionOptions {
  setup: CallSetup;
  ports: CallPorts;
  /** Hangs up, or closes the page's connection: called once, at the end. */
  release(status: CallStatus, reason: string): void;
  onStatus?(status: CallStatus): void;
}
