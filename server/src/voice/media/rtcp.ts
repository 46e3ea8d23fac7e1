import { createReportMemory, type ReceiveStatistics } from "./receive-statistics.ts";

/** What the two ends of an RTP stream tell each other about it (RFC 3550, 6): sender and receiver reports. */
export interface Reports {
  /** Our next report: a sender's once we have sent something, else a receiver's; with our name (SDES). */
  next(sent: SentSoFar, atMs: number): Buffer;
  /** A compound packet of the far side's. Takes any bytes. */
  received(bytes: Uint8Array, atMs: number): void;
  /** The share of our packets that the far side has lost lately, 0 to 1, and the time there and back; null: not told yet. */
  told(): { lost: number | null; roundTripMs: number | null };
}

export interface SentSoFar {
  ssrc: number;
  packets: number;
  octets: number;
  /** Of the newest packet. */
  timestamp: number;
}

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const CNAME = 1;
const BLOCK_BYTES = 24;
const FRACTION = 2 ** 32;

/** @param cname names this end in all its streams; says nothing of who we are */
export function createReports(statistics: ReceiveStatistics, cname: string): Reports {
  const memory = createReportMemory(statistics);
  /** The middle of the last sender report's time, and when it came. */
  let lastSender: { middle: number; atMs: number } | null = null;
  let lost: number | null = null;
  let roundTripMs: number | null = null;
  let ourSsrc = 0;

  function block(atMs: number): Buffer {
    const report = memory.next();
    if (!report) return Buffer.alloc(0);
    const bytes = Buffer.alloc(BLOCK_BYTES);
    bytes.writeUInt32BE(report.ssrc, 0);
    bytes.writeUInt8(report.fractionLost, 4);
    bytes.writeIntBE(Math.min(report.lost, 0x7fffff), 5, 3);
    bytes.writeUInt32BE(report.highest, 8);
    bytes.writeUInt32BE(report.jitter, 12);
    bytes.writeUInt32BE(lastSender?.middle ?? 0, 16);
    bytes.writeUInt32BE(lastSender ? Math.round(((atMs - lastSender.atMs) / 1_000) * 65_536) >>> 0 : 0, 20);
    return bytes;
  }

  return {
    next(sent, atMs) {
      ourSsrc = sent.ssrc;
      const received = block(atMs);
      const isSender = sent.packets > 0;
      const head = Buffer.alloc(isSender ? 28 : 8);
      const count = received.length / BLOCK_BYTES;
      writeHead(head, count, isSender ? SENDER_REPORT : RECEIVER_REPORT, head.length + received.length);
      head.writeUInt32BE(sent.ssrc, 4);
      if (isSender) {
        const { seconds, fraction } = ntp(atMs);
        head.writeUInt32BE(seconds, 8);
        head.writeUInt32BE(fraction, 12);
        head.writeUInt32BE(sent.timestamp, 16);
        head.writeUInt32BE(sent.packets >>> 0, 20);
        head.writeUInt32BE(sent.octets >>> 0, 24);
      }
      return Buffer.concat([head, received, description(sent.ssrc, cname)]);
    },
    received(given, atMs) {
      const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      for (let at = 0; at + 8 <= bytes.length; ) {
        if (bytes[at]! >> 6 !== 2) return;
        const type = bytes[at + 1]!;
        const end = at + 4 * (bytes.readUInt16BE(at + 2) + 1);
        if (end > bytes.length) return;
        let blocks = at + 8;
        if (type === SENDER_REPORT && end - at >= 28) {
          lastSender = { middle: bytes.readUInt32BE(at + 10), atMs };
          blocks = at + 28;
        } else if (type !== RECEIVER_REPORT) blocks = end;
        for (; blocks + BLOCK_BYTES <= end; blocks += BLOCK_BYTES) {
          if (bytes.readUInt32BE(blocks) !== ourSsrc) continue;
          lost = bytes[blocks + 4]! / 256;
          const [sentAt, waited] = [bytes.readUInt32BE(blocks + 16), bytes.readUInt32BE(blocks + 20)];
          if (sentAt !== 0) roundTripMs = (((middleOf(atMs) - sentAt - waited) | 0) / 65_536) * 1_000;
        }
        at = end;
      }
    },
    told: () => ({ lost, roundTripMs: roundTripMs === null ? null : Math.max(0, roundTripMs) }),
  };
}

/** Any clock does, as long as it runs on (RFC 3550, 6.4.1): ours counts from the process's start. */
function ntp(atMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(atMs / 1_000);
  return { seconds: seconds >>> 0, fraction: Math.floor((atMs / 1_000 - seconds) * FRACTION) >>> 0 };
}

function middleOf(atMs: number): number {
  const { seconds, fraction } = ntp(atMs);
  return (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0;
}

function writeHead(into: Buffer, count: number, type: number, bytes: number): void {
  into.writeUInt8((2 << 6) | count, 0);
  into.writeUInt8(type, 1);
  into.writeUInt16BE(bytes / 4 - 1, 2);
}

function description(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname).subarray(0, 255);
  // One null octet at least ends the items, up to the next 32 bits.
  const bytes = Buffer.alloc(Math.ceil((10 + name.length + 1) / 4) * 4);
  writeHead(bytes, 1, SOURCE_DESCRIPTION, bytes.length);
  bytes.writeUInt32BE(ssrc, 4);
  bytes.writeUInt8(CNAME, 8);
  bytes.writeUInt8(name.length, 9);
  name.copy(bytes, 10);
  return bytes;
}
