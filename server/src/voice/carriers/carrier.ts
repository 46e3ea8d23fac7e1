import type { MediaLeg } from "../media/media-leg.ts";

/**
 * Places phone calls: the simulated carrier, a SIP trunk, a vendor's call API. Every implementation passes the suite in
 * `carrier.contract.ts`.
 */
export interface Carrier {
  /** `simulated`, `sip`, `twilio`, `telnyx`: as stored with numbers and calls. */
  readonly name: string;
  /**
   * Asks for a call. Resolves once the carrier has accepted it; what becomes of it is told by the call's events.
   * @throws CarrierRefusal
   */
  dial(request: DialRequest): Promise<CarrierCall>;
  /** How many more calls of the organization it can carry in this process now. Left out: as many as come. */
  freeLines?(organizationId: string): Promise<number>;
  /** Ends what is left of its calls and releases its sockets. */
  close(): Promise<void>;
}

export interface DialRequest {
  organizationId: string;
  /** The call's id. Unique, also for a transfer's second leg. */
  callId: string;
  /** E.164 */
  from: string;
  /** E.164 */
  to: string;
  /** So long may it ring: then the carrier gives up and ends with `no_answer`. */
  ringTimeoutMs: number;
}

/** One call at a carrier. Events come in the order ringing?, answered?, ended; `ended` exactly once, and nothing after it. */
export interface CarrierCall {
  /** The carrier's own id of the call. */
  readonly sid: string;
  /** They have called us: a person, whom nobody needs to tell from a machine. */
  readonly isInbound?: boolean;
  /** To be called once, right after `dial` resolved: what happened before is delivered then. */
  onEvent(listener: (event: CarrierEvent) => void): void;
  /** Cancels a call that isn't answered, ends one that is. `ended` follows. Idempotent, never throws. */
  hangup(): Promise<void>;
}

export type CarrierEvent =
  | { type: "ringing" }
  | { type: "answered"; media: MediaLeg }
  /** What the far side's voice is saying, where the carrier knows: the simulated one does. Sent when the words end. */
  | { type: "said"; text: string }
  | { type: "ended"; cause: EndCause };

/** Why a call ended, in the product's own words: each carrier maps its codes to these. */
export type EndCause =
  /** After it was answered: who hung up. */
  | "remote_hangup"
  | "local_hangup"
  /** Before it was answered. */
  | "busy"
  | "no_answer"
  | "declined"
  | "blocked"
  | "invalid_number"
  | "congestion"
  | "failed"
  | "canceled";

/** The carrier didn't take the call. */
export class CarrierRefusal extends Error {
  override readonly name = "CarrierRefusal";
  readonly code: CarrierRefusalCode;
  /** What `call_outcome` says of it. */
  readonly outcome: "failed" | "blocked" | "congestion";
  /** Nobody knows whether the network has taken it all the same: no other carrier may be asked. */
  readonly mayBeTaken: boolean;

  constructor(
    code: CarrierRefusalCode,
    message: string,
    outcome: "failed" | "blocked" | "congestion" = "failed",
    mayBeTaken = false,
  ) {
    super(message);
    this.code = code;
    this.outcome = outcome;
    this.mayBeTaken = mayBeTaken;
  }
}

export type CarrierRefusalCode =
  | "carrier_dial_failed"
  | "voice_carrier_blocked"
  | "no_voice_carrier_available"
  /** The carrier's or the server's own channels are all in use. */
  | "concurrency_limit";
