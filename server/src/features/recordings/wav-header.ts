/** Two channels of G.711 µ-law at 8 kHz: a byte a sample. */
const SAMPLES_PER_SECOND = 8000;
const CHANNELS = 2;
const MULAW = 7;

export const WAV_HEADER_BYTES = 58;
export const WAV_BYTES_PER_SECOND = SAMPLES_PER_SECOND * CHANNELS;
/** "Until the file ends", to players: what stands in a header while the length isn't known. */
const LARGEST = 0xffff_ffff;

/**
 * @param dataBytes what follows the header; null while it isn't known: with the largest length a file that a crash has cut
 *   off plays to its end
 */
export function wavHeader(dataBytes: number | null): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  const riffBytes = dataBytes === null ? LARGEST : WAV_HEADER_BYTES - 8 + dataBytes;
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(riffBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(18, 16);
  header.writeUInt16LE(MULAW, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(WAV_BYTES_PER_SECOND, 28);
  header.writeUInt16LE(CHANNELS, 32);
  header.writeUInt16LE(8, 34);
  // No extension of the format; and the chunk that every format but linear PCM has: samples a channel.
  header.writeUInt16LE(0, 36);
  header.write("fact", 38, "latin1");
  header.writeUInt32LE(4, 42);
  header.writeUInt32LE(dataBytes === null ? LARGEST : dataBytes / CHANNELS, 46);
  header.write("data", 50, "latin1");
  header.writeUInt32LE(dataBytes ?? LARGEST, 54);
  return header;
}

/** The whole samples of both channels in a file of this size, in bytes. */
export function wholeDataBytes(fileBytes: number): number {
  const data = Math.max(0, fileBytes - WAV_HEADER_BYTES);
  return data - (data % CHANNELS);
}
