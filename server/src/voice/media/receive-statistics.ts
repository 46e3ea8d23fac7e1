import { SAMPLE_RATE } from "./media-leg.ts";
import { distance16, distance32 } from "./rtp-packet.ts";

/** What a receiver knows of one source, as its reports tell it (RFC 3550, 6.4.1 and appendix A). */
export interface ReceiveStatistics {
  /** Every packet of the source that was accepted, in the order of arrival. Duplicates count as received. */
  received(packet: { sequenceNumber: number; timestamp: number; ssrc: number }, atMs: number): void;
  /** A packet of the source that isn't audio: it counts, and says nothing of jitter. */
  counted(packet: { sequenceNumber: number; ssrc: number }): void;
  /** Packets that were expected of all sources so far and haven't come; not negative. */
  lost(): number;
  /** Interarrival jitter, milliseconds. */
  jitterMs(): number;
  /** Of the source that sends now; null before its first packet. `highest` counts on where sequence numbers wrap. */
  source(): { ssrc: number; highest: number; expected: number; received: number } | null;
}

/** What a receiver report says of a source. */
export interface SourceReport {
  ssrc: number;
  /** Since the last report, in 256ths. */
  fractionLost: number;
  lost: number;
  highest: number;
  /** Samples. */
  jitter: number;
}

/** Remembers what the last report has told (RFC 3550, appendix A.3). */
export function createReportMemory(statistics: ReceiveStatistics): { next(): SourceReport | null } {
  let before = { ssrc: -1, expected: 0, received: 0 };
  return {
    next() {
      const source = statistics.source();
      if (!source) return null;
      if (source.ssrc !== before.ssrc) before = { ssrc: source.ssrc, expected: 0, received: 0 };
      const expected = source.expected - before.expected;
      const missing = expected - (source.received - before.received);
      before = source;
      return {
        ssrc: source.ssrc,
        fractionLost:
          expected <= 0 || missing <= 0 ? 0 : Math.min(255, Math.floor((256 * missing) / expected)),
        lost: Math.max(0, source.expected - source.received),
        highest: source.highest,
        jitter: Math.round(statistics.jitterMs() * SAMPLES_PER_MS),
      };
    },
  };
}

/** A sequence number that leaps further belongs to a stream that began anew. */
const MAX_LEAP = 3_000;
const SAMPLES_PER_MS = SAMPLE_RATE / 1_000;

export function createReceiveStatistics(): ReceiveStatistics {
  let ssrc: number | null = null;
  let highest = 0;
  let cycles = 0;
  let expected = 0;
  let received = 0;
  let lostBefore = 0;
  let jitter = 0;
  /** Of the last packet; the time is null before the first. */
  let lastTimestamp = 0;
  let lastAtMs: number | null = null;

  const lost = () => lostBefore + Math.max(0, expected - received);

  function count(packet: { sequenceNumber: number; ssrc: number }): void {
    const ahead = distance16(packet.sequenceNumber, highest);
    if (packet.ssrc !== ssrc || Math.abs(ahead) > MAX_LEAP) {
      lostBefore = lost();
      ssrc = packet.ssrc;
      highest = packet.sequenceNumber;
      cycles = 0;
      expected = 1;
      received = 0;
      lastAtMs = null;
    } else if (ahead > 0) {
      expected += ahead;
      if (packet.sequenceNumber < highest) cycles++;
      highest = packet.sequenceNumber;
    }
    received++;
  }

  return {
    counted: count,
    received(packet, atMs) {
      count(packet);
      if (lastAtMs !== null) {
        const apart = (atMs - lastAtMs) * SAMPLES_PER_MS - distance32(packet.timestamp, lastTimestamp);
        jitter += (Math.abs(apart) - jitter) / 16;
      }
      lastTimestamp = packet.timestamp;
      lastAtMs = atMs;
    },
    source: () =>
      ssrc === null ? null : { ssrc, highest: ((cycles << 16) | highest) >>> 0, expected, received },
    lost,
    jitterMs: () => jitter / SAMPLES_PER_MS,
  };
}
