const HEADER_BYTES = 44;
const LINEAR_PCM = 1;

/** A mono 16-bit WAV file. */
export function wavFile(samples: Int16Array, sampleRate: number): Buffer {
  const file = Buffer.alloc(HEADER_BYTES + 2 * samples.length);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(LINEAR_PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(2 * sampleRate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(2 * samples.length, 40);
  for (let index = 0; index < samples.length; index++)
    file.writeInt16LE(samples[index]!, HEADER_BYTES + 2 * index);
  return file;
}
