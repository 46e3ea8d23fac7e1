import { ModelTrouble } from "./model-request.ts";
import { createResampler, type Resampler } from "./resampler.ts";

/** Reads the audio of an answer as it comes. @returns 8 kHz, mono, 16-bit */
export type AudioReader = (bytes: Buffer) => Int16Array;

/** What `pcm` means where nothing else is said. */
const PCM_RATE = 24_000;
const RATES = { least: 8_000, most: 192_000 };
const LINEAR_PCM = 1;
const EXTENSIBLE = 0xfffe;
const LONGEST_HEADER = 64 * 1024;
const COMPRESSED = /^(ID3|OggS|fLaC|\xff[\xe0-\xff])/;

interface Format {
  rate: number;
  channels: number;
  /** Where the samples begin; of a file. */
  start: number;
}

/**
 * A WAV file says what it is; everything else is taken for bare 16-bit samples.
 * @param contentType may name a rate: `audio/pcm;rate=16000`
 */
export function createAudioReader(contentType: string): AudioReader {
  const named = Number(/rate=(\d+)/.exec(contentType)?.[1] ?? PCM_RATE);
  let rest: Buffer = Buffer.alloc(0);
  let format: Format | null = null;
  let resample: Resampler | null = null;

  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (!format) {
      if (rest.length < 12) return new Int16Array(0);
      format = readFormat(rest, named);
      if (!format) return new Int16Array(0);
      rest = rest.subarray(format.start);
    }
    const { rate, channels } = format;
    resample ??= createResampler(rate);
    const frames = Math.floor(rest.length / (2 * channels));
    const samples = new Int16Array(frames);
    for (let frame = 0; frame < frames; frame++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++)
        sum += rest.readInt16LE(2 * (frame * channels + channel));
      samples[frame] = Math.round(sum / channels);
    }
    rest = rest.subarray(2 * frames * channels);
    return resample(samples);
  };
}

/** @returns null while its header isn't whole */
function readFormat(bytes: Buffer, pcmRate: number): Format | null {
  const start = bytes.toString("latin1", 0, 12);
  if (COMPRESSED.test(start) || start.startsWith("{") || start.startsWith("<"))
    throw new ModelTrouble("garbage", "speech came in a format that can't be played", null);
  if (!start.startsWith("RIFF")) return checked({ rate: pcmRate, channels: 1, start: 0 });
  let format: Omit<Format, "start"> | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === "data") {
      if (!format) throw new ModelTrouble("garbage", "speech came without its format", null);
      return checked({ ...format, start: at + 8 });
    }
    if (name === "fmt " && at + 24 <= bytes.length) {
      const kind = bytes.readUInt16LE(at + 8);
      const bits = bytes.readUInt16LE(at + 22);
      if ((kind !== LINEAR_PCM && kind !== EXTENSIBLE) || bits !== 16)
        throw new ModelTrouble("garbage", "speech came in a format that can't be played", null);
      format = { channels: bytes.readUInt16LE(at + 10), rate: bytes.readUInt32LE(at + 12) };
    }
    at += 8 + size + (size % 2);
    if (at > LONGEST_HEADER) throw new ModelTrouble("garbage", "speech came without samples", null);
  }
  return null;
}

function checked(format: Format): Format {
  const { rate, channels } = format;
  if (rate >= RATES.least && rate <= RATES.most && (channels === 1 || channels === 2)) return format;
  throw new ModelTrouble("garbage", "speech came in a format that can't be played", null);
}
