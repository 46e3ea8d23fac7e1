import { decodeG711, encodeG711, type G711Law } from "../media/g711.ts";
import { createJitterBuffer } from "../media/jitter-buffer.ts";
import { FRAME_SAMPLES, type MediaLeg } from "../media/media-leg.ts";
import { createReceiveStatistics } from "../media/receive-statistics.ts";
import { once } from "./once.ts";

/** A leg's audio, and the ends of it that the peer connection holds. */
export interface BrowserMedia {
  leg: MediaLeg;
  /** A packet of the page's audio has come. */
  packetCame(packet: AudioPacket & { ssrc: number }): void;
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

/** 120 ms. Browsers send 20. */
const LONGEST_PACKET = 6 * FRAME_SAMPLES;

export function createBrowserMedia(): BrowserMedia {
  const firstAudio = once();
  const jitterBuffer = createJitterBuffer();
  const statistics = createReceiveStatistics();
  const counts = { framesSent: 0, packetsReceived: 0, packetsRefused: 0 };
  let send: ((packet: AudioPacket) => void) | null = null;
  let law: G711Law = "pcmu";
  let closed = false;
  let sequenceNumber = Math.floor(Math.random() * 0x10000);
  let timestamp = Math.floor(Math.random() * 0x1_0000_0000);
  return {
    leg: {
      receive: () => (closed ? null : jitterBuffer.pull(performance.now())),
      send(samples) {
        if (!send) return;
        // The time goes on while nothing is sent: a gap in it is a gap for the listener.
        timestamp = (timestamp + FRAME_SAMPLES) >>> 0;
        sequenceNumber = (sequenceNumber + 1) & 0xffff;
        counts.framesSent++;
        const payload = Buffer.allocUnsafe(FRAME_SAMPLES);
        encodeG711(law, samples, payload);
        send({ payloadType: PAYLOAD_TYPES[law], sequenceNumber, timestamp, payload });
      },
      digitsOutOfBand: () => true,
      // A page's digits are messages: the leg tells them as such.
      onDigit() {},
      onFirstAudio: firstAudio.listen,
      stats() {
        const { framesConcealed, packetsLate, waitingMs } = jitterBuffer.stats();
        return {
          ...counts,
          packetsLost: statistics.lost() + packetsLate,
          framesConcealed,
          jitterMs: statistics.jitterMs(),
          delayMs: waitingMs,
        };
      },
      close() {
        closed = true;
        send = null;
        firstAudio.forget();
      },
    },
    packetCame(packet) {
      if (closed) return;
      const packetLaw = LAWS.get(packet.payloadType);
      const { length } = packet.payload;
      if (packetLaw === undefined || length === 0 || length > LONGEST_PACKET) {
        counts.packetsRefused++;
        return;
      }
      const now = performance.now();
      counts.packetsReceived++;
      statistics.received(packet, now);
      jitterBuffer.push(packet, decodeG711(packetLaw, packet.payload), now);
      firstAudio.happen();
    },
    sendBy(sender, chosen) {
      send = sender;
      law = chosen;
    },
  };
}
