import { SAMPLE_RATE } from "./media-leg.ts";
import { distance16, distance32 } from "./rtp-packet.ts";

/** What a receiver knows of one source, as its reports tell it (RFC 3550, 6.4.1 and appendix A). */
export interface ReceiveStatistics {
  /** Every packet of the source that was accepted, in the order of arrival. Duplicates count as received. */
  received(packet: { sequenceNumber: number; timestamp: number; ssrc: number }, atMs: number): void;
  /** A packet of the source that isn't audio: it counts, and says nothing of jitter. */
  counted(packet: { sequenceNumber: number; ssrc: number }): void;
  /** Packets that were expected of all sources so far and haven't come; not negative. */
  readonly lost: number;
  /** Interarrival jitter, milliseconds. */
  readonly jitterMs: number;
}

/** A sequence number that leaps further belongs to a stream that began anew. */
const MAX_LEAP = 3_000;
const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;

export function createReceiveStatistics(): ReceiveStatistics {
  let ssrc: number | null = null;
  let highest = 0;
  let expected = 0;
  let received = 0;
  let lostBefore = 0;
  let jitter = 0;
  let last: { timestamp: number; atMs: number } | null = null;

  const lost = () => lostBefore + Math.max(0, expected - received);

  function count(packet: { sequenceNumber: number; ssrc: number }): void {
    const ahead = distance16(packet.sequenceNumber, highest);
    if (packet.ssrc !== ssrc || Math.abs(ahead) > MAX_LEAP) {
      lostBefore = lost();
      ssrc = packet.ssrc;
      highest = packet.sequenceNumber;
      expected = 1;
      received = 0;
      last = null;
    } else if (ahead > 0) {
      expected += ahead;
      highest = packet.sequenceNumber;
    }
    received++;
  }

  return {
    counted: count,
    received(packet, atMs) {
      count(packet);
      if (last) {
        const apart = (atMs - last.atMs) * SAMPLES_PER_MS - distance32(packet.timestamp, last.timestamp);
        jitter += (Math.abs(apart) - jitter) / 16;
      }
      last = { timestamp: packet.timestamp, atMs };
    },
    get lost() {
      return lost();
    },
    get jitterMs() {
      return jitter / SAMPLES_PER_MS;
    },
  };
}
