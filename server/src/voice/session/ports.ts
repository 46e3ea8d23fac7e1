import type { CallStatus, TerminalStatus } from "../call-states.ts";
import type { Carrier } from "../carriers/carrier.ts";
import type { DomainTool, ToolDefinition, ToolResult } from "../engines/engine.ts";
import type { TranscriptTurn } from "../transcript.ts";

/** What a call runs by, everything decided and filled in before it starts. */
export interface CallSetup {
  organizationId: string;
  callId: string;
  medium: "phone" | "browser";
  /** System prompt and greeting with their placeholders filled in. */
  instructions: string;
  greeting: string;
  firstSpeaker: "agent" | "user";
  voice: string;
  temperature: number;
  maxDurationSeconds: number;
  recording: boolean;
  /** Said first in a recorded call; null when switched off. */
  recordingAnnouncement: string | null;
  /** Left after the beep of an answering machine; null: hang up on machines. */
  voicemailMessage: string | null;
  /**
   * Said to a person who answers while nobody is free to talk, before the call ends as abandoned. Null: this call needs no
   * seat, and `takeSeat` isn't asked.
   */
  abandonedMessage: string | null;
  /** The tools that the template grants. */
  tools: readonly ToolDefinition[];
  context: Readonly<Record<string, string>>;
  /** Who the person is, for the human of a transfer: one sentence. */
  briefing: string;
}

/** How the session reaches what belongs to the product: the database, the money, the domain. Implemented by features/calls. */
export interface CallPorts {
  /**
   * Stores a transition. Calls come in order and are awaited in order; a rejection ends the call as `failed`.
   * `initiated` and `in-progress` only: the end is told by `ended`.
   */
  moved(to: CallStatus, at: number): Promise<void>;
  classified(answeredBy: "human" | "machine" | "unknown"): Promise<void>;
  /**
   * A person has answered a call that needs a seat: takes one, until the call ends. False: all are taken, which is stored too.
   * Asked once at most.
   */
  takeSeat(): Promise<boolean>;
  /** Stores a line of the transcript. */
  turn(turn: TranscriptTurn): Promise<void>;
  /** Sets one more minute aside. False: the wallet has no more, and the call ends with its current minute. */
  extendHold(): Promise<boolean>;
  /** Called when recording begins; null when recordings can't be stored (the call goes on without). */
  openRecording(): Promise<RecordingSink | null>;
  /** Runs a granted tool whose arguments have been validated. `end_call` and `transfer_to_human` are the session's own. */
  runTool(name: DomainTool, args: unknown): Promise<ToolResult>;
  /** Where a transfer dials to; null when there is nobody to transfer to. Stores the attempt. */
  beginTransfer(): Promise<TransferTarget | null>;
  /** Stores how the transfer went, with its event when it succeeded. */
  endTransfer(transferId: string, outcome: "success" | "failed"): Promise<void>;
  /** The call is over: stores it, settles the money, finishes the transcript, records the events. Called exactly once. */
  ended(end: CallEnd): Promise<void>;
}

export interface TransferTarget {
  transferId: string;
  carrier: Carrier;
  from: string;
  to: string;
}

export interface CallEnd {
  status: TerminalStatus;
  outcome: string;
  /** In words, for operators. */
  reason: string;
  at: number;
  /** When it was answered, on the service's clock; null when it never was. */
  answeredAt: number | null;
  recordingBytes: number | null;
}

/** Takes a recording while it happens. None of these throws: a store that fails is logged, and the call goes on. */
export interface RecordingSink {
  /** 20 ms of both sides, 160 samples each: the agent's left, the other's right. */
  write(agent: Int16Array, other: Int16Array): void;
  /** Finishes the file. @returns its size in bytes, or null when it couldn't be kept */
  finish(): Promise<number | null>;
}
