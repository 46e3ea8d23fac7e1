/**
 * Whether the WebRTC stack can be given a packet of the page's data channel (SCTP, RFC 9260). The stack takes lengths as they
 * are said: a chunk or a parameter of length 0 has it loop until the memory is full, and what is cut off has it throw where
 * nobody listens. One packet of one page would end the process, and every call in it.
 */

const HEADER = 12;
/** More than any path carries. */
const LONGEST = 2_048;
/** What the stack walks through for each packet: a page has far less on its way. */
const MOST_ACKNOWLEDGED = 4_096;

const DATA = 0;
const SACK = 3;

/** The fewest bytes of each kind of chunk that the stack knows, its header included. */
const SHORTEST: Readonly<Record<number, number>> = {
  [DATA]: 16,
  1: 20,
  2: 20,
  [SACK]: 16,
  4: 4,
  5: 4,
  6: 4,
  7: 8,
  8: 4,
  9: 4,
  10: 8,
  11: 4,
  14: 4,
  130: 4,
  192: 8,
};
/** Where the parameters begin in the chunks that have some. */
const PARAMETERS_AT: Readonly<Record<number, number>> = { 1: 20, 2: 20, 4: 4, 5: 4, 6: 4, 9: 4, 130: 4 };

/** @returns the sequence numbers (TSN) of the data in the packet; null for one that isn't sound */
export function readSctpPacket(packet: Buffer): number[] | null {
  if (packet.length < HEADER + 4 || packet.length > LONGEST) return null;
  const numbers: number[] = [];
  let at = HEADER;
  while (at < packet.length) {
    const length = at + 4 <= packet.length ? packet.readUInt16BE(at + 2) : 0;
    const chunk = packet.subarray(at, at + length);
    const type = packet[at]!;
    if (length < 4 || chunk.length < length || !isSound(type, chunk)) return null;
    if (type === DATA) numbers.push(chunk.readUInt32BE(4));
    at += padded(length);
  }
  return numbers;
}

function isSound(type: number, chunk: Buffer): boolean {
  const shortest = SHORTEST[type];
  if (shortest === undefined || chunk.length < shortest) return false;
  if (type === SACK) return isSoundSack(chunk);
  if (type === 192) return chunk.length % 4 === 0;
  const parametersAt = PARAMETERS_AT[type];
  return parametersAt === undefined || areSound(chunk.subarray(parametersAt));
}

/** Each with a length of its own that holds its header, and that is there. */
function areSound(parameters: Buffer): boolean {
  let at = 0;
  while (at + 4 <= parameters.length) {
    const length = parameters.readUInt16BE(at + 2);
    if (length < 4 || at + length > parameters.length) return false;
    at += padded(length);
  }
  return true;
}

function isSoundSack(chunk: Buffer): boolean {
  const gaps = chunk.readUInt16BE(12);
  const duplicates = chunk.readUInt16BE(14);
  if (chunk.length !== 16 + 4 * (gaps + duplicates)) return false;
  let acknowledged = 0;
  for (let gap = 0; gap < gaps; gap++) {
    const first = chunk.readUInt16BE(16 + 4 * gap);
    const last = chunk.readUInt16BE(18 + 4 * gap);
    if (last < first) return false;
    acknowledged += last - first + 1;
  }
  return acknowledged <= MOST_ACKNOWLEDGED;
}

const padded = (length: number) => (length + 3) & ~3;
