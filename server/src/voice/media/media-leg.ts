/**
 * Audio inside the service: 8 kHz, mono, 16-bit linear, in frames of 20 ms. What legs speak on the wire (µ-law, A-law,
 * Opus) is their own business.
 */
export const SAMPLE_RATE = 8_000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = 160;

export interface HeardFrame {
  /** 160 samples. Valid until the next `receive()`: copy what is kept. */
  samples: Int16Array;
  /** True when it was made up for a packet that didn't come. */
  concealed: boolean;
}

/**
 * Audio both ways with one far side: an RTP stream, a browser's peer connection, a vendor's media socket. Whoever owns
 * the leg calls `receive` and `send` once every 20 ms (see MediaClock); the leg never calls back for audio.
 */
export interface MediaLeg {
  /** The 20 ms that are due now, or null while the far side sends nothing at all. */
  receive(): HeardFrame | null;
  /** Sends 20 ms: exactly 160 samples. The leg copies them. */
  send(samples: Int16Array): void;
  /** True when digits arrive beside the audio (RFC 4733, a vendor's message): then they aren't looked for in the audio. */
  digitsOutOfBand(): boolean;
  /** A digit `0-9*#A-D` that the far side keyed, once per press. */
  onDigit(listener: (digit: string) => void): void;
  /** Called once when the first packet of the far side's audio has come. At once when it has already. */
  onFirstAudio(listener: () => void): void;
  stats(): MediaStats;
  /** Releases ports and sockets. Idempotent; `send` and `receive` do nothing afterwards. */
  close(): void;
}

export interface MediaStats {
  framesSent: number;
  packetsReceived: number;
  /** Never came, or came too late to be played. */
  packetsLost: number;
  framesConcealed: number;
  /** From another address than the far side's, with the wrong size or a broken header. */
  packetsRefused: number;
  /** Interarrival jitter by RFC 3550, milliseconds. */
  jitterMs: number;
  /** How much audio waits in the jitter buffer right now, milliseconds. */
  delayMs: number;
}
