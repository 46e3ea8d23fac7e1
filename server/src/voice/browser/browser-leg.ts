import type { CallStatus } from "../call-states.ts";
import type { MediaLeg } from "../media/media-leg.ts";
import type { TurnRole, TurnSource } from "../transcript.ts";

/** Opens the server's end of browser calls. */
export interface BrowserLegs {
  /** A leg that waits for the browser's offer. It holds no socket before `connect`. */
  open(options: BrowserLegOptions): BrowserLeg;
  /** Closes every leg that is still open. */
  close(): Promise<void>;
}

export interface BrowserLegOptions {
  iceServers: readonly IceServer[];
  /** What the page sends beside its audio. Anything that isn't a BrowserMessage is dropped by the leg. */
  onEvent(message: BrowserMessage): void;
}

/** As in RTCIceServer. */
export interface IceServer {
  urls: string | string[];
  username?: string;
  credential?: string;
}

/** One peer connection with a page: audio both ways, and JSON messages beside it (data channel `events`). */
export interface BrowserLeg {
  /**
   * Answers the browser's offer; once.
   * @returns the answer's SDP, candidates included
   * @throws InvalidOffer (session/voice-plane.ts) when the SDP can't be read, has no audio, or no codec in common
   */
  connect(offerSdp: string): Promise<string>;
  /** Usable at once: before the connection stands, `receive` gives null and `send` drops. */
  readonly media: MediaLeg;
  /** Sends a message, or keeps it until the channel is open. Dropped after `close`. Never throws. */
  sendEvent(event: BrowserEvent): void;
  /** Called once when the connection stands (ICE and DTLS). At once when it does already. */
  onConnected(listener: () => void): void;
  /** Called once when the page is gone: closed, connection failed. Not for a `close()` of ours. At once when it is already. */
  onClosed(listener: () => void): void;
  /**
   * Sends what waits in the channel, then ends the connection and releases its sockets. `media` is closed with it.
   * Idempotent, never throws.
   */
  close(): void;
}

/** From the service to the page. */
export type BrowserEvent =
  | { type: "state"; status: CallStatus }
  /** A line of the transcript, when it is whole. Milliseconds from the answer. */
  | { type: "turn"; role: TurnRole; source: TurnSource; text: string; start_ms: number; end_ms: number }
  /** The last message of a call. */
  | { type: "ended"; status: CallStatus; reason: string };

/** From the page to the service. */
export type BrowserMessage = { type: "hangup" } | { type: "digit"; digit: string };
