import { FRAME_SAMPLES } from "./media-leg.ts";
import { distance32 } from "./rtp-packet.ts";

/** Keyed digits beside the audio: the telephone-event of RFC 4733, codes 0 to 15. */
const DIGITS = "0123456789*#ABCD";
const PAYLOAD_BYTES = 4;
const END = 0x80;
/** -10 dBm0. */
const VOLUME = 10;
const MAX_DURATION = 0xffff;
/** An event that old is a repetition that the network kept; older still, and the far side's clock began anew. */
const STALE_SAMPLES = 10 * 8_000;

export interface DigitReceiver {
  /**
   * Packets repeat: all that tell of one press have the same timestamp.
   * @returns the digit at the first packet of a press, null otherwise, and for what isn't a digit's event
   */
  received(packet: { timestamp: number; ssrc: number; payload: Uint8Array }): string | null;
}

export function createDigitReceiver(): DigitReceiver {
  let last: { timestamp: number; ssrc: number } | null = null;
  return {
    received({ timestamp, ssrc, payload }) {
      const digit = payload.length >= PAYLOAD_BYTES ? DIGITS[payload[0]!] : undefined;
      if (digit === undefined) return null;
      if (last?.ssrc === ssrc) {
        const later = distance32(timestamp, last.timestamp);
        if (later <= 0 && later > -STALE_SAMPLES) return null;
      }
      last = { timestamp, ssrc };
      return digit;
    },
  };
}

export interface DigitPacket {
  /** True for the first packet of a press. */
  marker: boolean;
  payload: Uint8Array;
}

/** @throws RangeError for anything but one of 0-9, *, #, A-D */
export function assertDigit(digit: string): void {
  if (digit.length !== 1 || !DIGITS.includes(digit))
    throw new RangeError("A digit is one of 0-9, *, #, A-D.");
}

/**
 * The packets of one press, by the 20 ms in which they are sent. All have the timestamp at which the press began; the last
 * is sent three times, since it tells that the key was released.
 */
export function digitPackets(digit: string, durationMs: number): DigitPacket[][] {
  assertDigit(digit);
  const frames = Math.max(1, Math.ceil(durationMs / 20));
  return Array.from({ length: frames }, (_, frame) => {
    const isLast = frame === frames - 1;
    const duration = Math.min(MAX_DURATION, (frame + 1) * FRAME_SAMPLES);
    const payload = Uint8Array.of(
      DIGITS.indexOf(digit),
      (isLast ? END : 0) | VOLUME,
      duration >> 8,
      duration & 0xff,
    );
    const packet = { marker: frame === 0, payload };
    return isLast ? [packet, { ...packet, marker: false }, { ...packet, marker: false }] : [packet];
  });
}
