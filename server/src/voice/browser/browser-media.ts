import { decodeG711, encodeG711, type G711Law } from "../media/g711.ts";
import { FRAME_SAMPLES, type MediaLeg } from "../media/media-leg.ts";
import { type Once, once } from "./once.ts";

/** A leg's audio, and the ends of it that the peer connection holds. */
export interface BrowserMedia {
  leg: MediaLeg;
  /** A packet of the page's audio has come. */
  packetCame(packet: AudioPacket): void;
  /** From now on frames go out this way. */
  sendBy(send: (packet: AudioPacket) => void, law: G711Law): void;
}

export interface AudioPacket {
  payloadType: number;
  sequenceNumber: number;
  timestamp: number;
  payload: Buffer;
}

/** RFC 3551. */
export const PAYLOAD_TYPES: Readonly<Record<G711Law, number>> = { pcmu: 0, pcma: 8 };
const LAWS = new Map<number, G711Law>([
  [PAYLOAD_TYPES.pcmu, "pcmu"],
  [PAYLOAD_TYPES.pcma, "pcma"],
]);

export function createBrowserMedia(): BrowserMedia {
  const firstAudio: Once = once();
  let send: ((packet: AudioPacket) => void) | null = null;
  let law: G711Law = "pcmu";
  let closed = false;
  let framesSent = 0;
  let packetsReceived = 0;
  let sequenceNumber = Math.floor(Math.random() * 0x10000);
  let timestamp = Math.floor(Math.random() * 0x1_0000_0000);
  const frames: Int16Array[] = [];
  return {
    leg: {
      receive() {
        const samples = frames.shift();
        return samples ? { samples, concealed: false } : null;
      },
      send(samples) {
        // The time goes on while nothing is sent: a gap in it is a gap for the listener.
        timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
        if (!send || closed) return;
        sequenceNumber = (sequenceNumber + 1) & 0xffff;
        framesSent++;
        const payload = Buffer.allocUnsafe(FRAME_SAMPLES);
        encodeG711(law, samples, payload);
        send({ payloadType: PAYLOAD_TYPES[law], sequenceNumber, timestamp, payload });
      },
      digitsOutOfBand: true,
      onDigit() {},
      onFirstAudio: firstAudio.listen,
      stats: () => ({
        framesSent,
        packetsReceived,
        packetsLost: 0,
        framesConcealed: 0,
        packetsRefused: 0,
        jitterMs: 0,
        delayMs: 0,
      }),
      close() {
        closed = true;
        send = null;
        firstAudio.forget();
      },
    },
    packetCame({ payloadType, payload }) {
      const packetLaw = LAWS.get(payloadType);
      if (closed || packetLaw === undefined) return;
      packetsReceived++;
      frames.push(decodeG711(packetLaw, payload));
      firstAudio.happen();
    },
    sendBy(sender, chosen) {
      send = sender;
      law = chosen;
    },
  };
}
