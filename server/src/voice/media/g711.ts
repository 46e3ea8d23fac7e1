/**
 * G.711: 16-bit linear audio as 8 bits a sample, µ-law (PCMU) or A-law (PCMA). Both ways by table, made once here:
 * 65,536 bytes to encode and 256 words to decode, for each law.
 */
export type G711Law = "pcmu" | "pcma";

const SIGN = 0x80;
const MULAW_BIAS = 0x84;
const MULAW_CLIP = 32_635;

/** The byte that is silence: linear 0. */
export const SILENT_BYTE: Readonly<Record<G711Law, number>> = { pcmu: 0xff, pcma: 0xd5 };

const DECODE: Readonly<Record<G711Law, Int16Array>> = {
  pcmu: Int16Array.from({ length: 256 }, (_, byte) => mulawToLinear(byte)),
  pcma: Int16Array.from({ length: 256 }, (_, byte) => alawToLinear(byte)),
};

/** Indexed by the sample's 16 bits read as an unsigned number. */
const ENCODE: Readonly<Record<G711Law, Uint8Array>> = {
  pcmu: Uint8Array.from({ length: 65_536 }, (_, bits) => linearToMulaw((bits << 16) >> 16)),
  pcma: Uint8Array.from({ length: 65_536 }, (_, bits) => linearToAlaw((bits << 16) >> 16)),
};

/**
 * @param samples 16-bit linear
 * @param into where the bytes go, one a sample; a new array when left out
 * @returns `into`
 */
export function encodeG711(
  law: G711Law,
  samples: Int16Array,
  into: Uint8Array = new Uint8Array(samples.length),
): Uint8Array {
  const table = ENCODE[law];
  for (let at = 0; at < samples.length; at++) into[at] = table[samples[at]! & 0xffff]!;
  return into;
}

/**
 * @param bytes one a sample
 * @param into where the samples go; a new array when left out
 * @returns `into`
 */
export function decodeG711(
  law: G711Law,
  bytes: Uint8Array,
  into: Int16Array = new Int16Array(bytes.length),
): Int16Array {
  const table = DECODE[law];
  for (let at = 0; at < bytes.length; at++) into[at] = table[bytes[at]!]!;
  return into;
}

function linearToMulaw(sample: number): number {
  const sign = sample < 0 ? SIGN : 0;
  const magnitude = Math.min(Math.abs(sample), MULAW_CLIP) + MULAW_BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function mulawToLinear(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + MULAW_BIAS) << ((bits >> 4) & 0x07)) - MULAW_BIAS;
  return bits & SIGN ? -magnitude : magnitude;
}

function linearToAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : SIGN;
  // 13 bits: one's complement of what is negative, as in the standard's own reference.
  const magnitude = (sample < 0 ? ~sample : sample) >> 3;
  const exponent = magnitude < 32 ? 0 : 31 - Math.clz32(magnitude) - 4;
  const mantissa = exponent === 0 ? magnitude >> 1 : (magnitude >> exponent) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

function alawToLinear(byte: number): number {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 0x07;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return bits & SIGN ? magnitude : -magnitude;
}
