import type { CallStatus } from "../call-states.ts";
import type { Carrier } from "../carriers/carrier.ts";
import type { TranscriptTurn } from "../transcript.ts";
import type { CallPorts, CallSetup } from "./ports.ts";

/** The calls of this process. Owned by the composition root; drained at its end. */
export interface VoicePlane {
  /**
   * Asks the carrier and, once it has accepted, runs the call to its end.
   * @throws CarrierRefusal, EngineUnavailable (nothing of the call is left then; `ports.ended` isn't called)
   */
  startPhoneCall(
    setup: CallSetup,
    ports: CallPorts,
    dial: { carrier: Carrier; from: string; to: string },
  ): Promise<LiveCall>;
  /** Waits up to 60 s for the browser. @throws EngineUnavailable */
  startBrowserCall(setup: CallSetup, ports: CallPorts): Promise<LiveBrowserCall>;
  find(callId: string): LiveCall | undefined;
  findBrowserCall(callId: string): LiveBrowserCall | undefined;
  /** Ids of the calls that run here. */
  running(): string[];
  /** Takes no new calls (they are refused with `concurrency_limit`), and resolves when the running ones have ended. */
  drain(): Promise<void>;
  /** Ends every call now (`failed`, reason shutdown), and closes carriers, engine and media. */
  close(): Promise<void>;
}

export interface LiveCall {
  readonly callId: string;
  /** The carrier's id; `web_<id>` for browser calls. */
  readonly sid: string;
  status(): CallStatus;
  /**
   * Ends it. A connected call becomes `completed`, one that isn't connected `canceled`.
   * @param reason in words, stored with the call
   * @returns when the end is stored
   */
  hangup(reason: string): Promise<void>;
  /**
   * The person has asked elsewhere, by a text, not to be called. A conversation ends as `do_not_call` after one sentence, within
   * 10 s; every other call as `hangup` ends it.
   * @returns when the end is stored
   */
  optedOut(reason: string): Promise<void>;
  /** Resolves when the call has ended and `ports.ended` has finished. Never rejects. */
  readonly ended: Promise<void>;
  onTurn(listener: (turn: TranscriptTurn) => void): void;
}

export interface LiveBrowserCall extends LiveCall {
  /**
   * Answers the browser's offer; once.
   * @throws InvalidOffer when the SDP can't be read, has no audio, or no codec in common
   */
  connect(offerSdp: string): Promise<string>;
}

/** The browser's offer can't be answered: the message says why. */
export class InvalidOffer extends Error {
  override readonly name = "InvalidOffer";
}
