/** One packet of RTP, by RFC 3550. */
export interface RtpPacket {
  marker: boolean;
  /** 0 to 127. */
  payloadType: number;
  /** 16 bits, wraps. */
  sequenceNumber: number;
  /** 32 bits, wraps; in samples. */
  timestamp: number;
  ssrc: number;
  /** A view of the bytes that were parsed, without padding. May be empty. */
  payload: Uint8Array;
}

export const RTP_HEADER_BYTES = 12;
const VERSION = 2;
const PADDING = 0x20;
const EXTENSION = 0x10;
const CONTRIBUTORS = 0x0f;
const WORD_BYTES = 4;

/**
 * Takes any bytes. Contributing sources and header extensions are skipped.
 * @returns null when it isn't RTP of version 2, or is cut short
 */
export function parseRtp(bytes: Uint8Array): RtpPacket | null {
  if (bytes.length < RTP_HEADER_BYTES || bytes[0]! >> 6 !== VERSION) return null;
  const flags = bytes[0]!;
  let start = RTP_HEADER_BYTES + (flags & CONTRIBUTORS) * WORD_BYTES;
  if (flags & EXTENSION) {
    if (bytes.length < start + WORD_BYTES) return null;
    start += WORD_BYTES + ((bytes[start + 2]! << 8) | bytes[start + 3]!) * WORD_BYTES;
  }
  let end = bytes.length;
  if (flags & PADDING) {
    const padding = bytes[end - 1]!;
    if (padding === 0) return null;
    end -= padding;
  }
  if (end < start) return null;
  return {
    marker: bytes[1]! >= 0x80,
    payloadType: bytes[1]! & 0x7f,
    sequenceNumber: (bytes[2]! << 8) | bytes[3]!,
    timestamp: readUint32(bytes, 4),
    ssrc: readUint32(bytes, 8),
    payload: bytes.subarray(start, end),
  };
}

/**
 * Writes the twelve bytes of a header without contributors, extensions or padding; the payload belongs behind them.
 * Numbers are cut to their widths.
 */
export function writeRtpHeader(into: Uint8Array, packet: Omit<RtpPacket, "payload">): void {
  into[0] = VERSION << 6;
  into[1] = (packet.marker ? 0x80 : 0) | (packet.payloadType & 0x7f);
  into[2] = packet.sequenceNumber >> 8;
  into[3] = packet.sequenceNumber;
  writeUint32(into, 4, packet.timestamp);
  writeUint32(into, 8, packet.ssrc);
}

/** @returns the whole packet, in bytes of its own */
export function serializeRtp(packet: RtpPacket): Uint8Array {
  const bytes = new Uint8Array(RTP_HEADER_BYTES + packet.payload.length);
  writeRtpHeader(bytes, packet);
  bytes.set(packet.payload, RTP_HEADER_BYTES);
  return bytes;
}

/** How far `later` is ahead of `earlier` on a counter of 16 or 32 bits that wraps; negative when it is behind. */
export function distance16(later: number, earlier: number): number {
  return ((later - earlier) << 16) >> 16;
}

export function distance32(later: number, earlier: number): number {
  return (later - earlier) | 0;
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function writeUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}
