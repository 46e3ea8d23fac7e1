import type { FileHandle } from "node:fs/promises";
import { encodeG711, SILENT_BYTE } from "../../voice/media/g711.ts";
import { FRAME_SAMPLES } from "../../voice/media/media-leg.ts";
import type { RecordingSink } from "../../voice/session/ports.ts";
import { WAV_BYTES_PER_SECOND, WAV_HEADER_BYTES, wavHeader, wholeDataBytes } from "./wav-header.ts";

/** A second is written at a time: the most that a crash loses. */
const BLOCK_BYTES = WAV_BYTES_PER_SECOND;
const FRAME_BYTES = 2 * FRAME_SAMPLES;
/** A disk that is this far behind is as good as full. */
const MOST_WAITING_BLOCKS = 60;

export type WavFile = Pick<FileHandle, "write" | "datasync" | "close">;

/**
 * Writes a call's audio as a stereo µ-law WAV file while it happens. `write` only fills memory: the disk is never waited
 * for while the call runs. After the first failure nothing more is written; what is in the file stays, and is finished.
 * @param options `file`: empty and open for writing, closed by `finish`. `onError`: told of the first failure
 */
export function createWavWriter({
  file,
  onError,
}: {
  file: WavFile;
  onError(error: unknown): void;
}): RecordingSink {
  const agentBytes = new Uint8Array(FRAME_SAMPLES);
  const otherBytes = new Uint8Array(FRAME_SAMPLES);
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  /** Bytes that are in the file, from its beginning. */
  let written = 0;
  let waiting = 0;
  let failed = false;
  let queue = Promise.resolve();

  const fail = (error: unknown) => {
    if (!failed) onError(error);
    failed = true;
  };
  const append = (bytes: Buffer) => {
    waiting++;
    queue = queue.then(async () => {
      try {
        if (!failed) {
          await writeWhole(file, bytes, written, (count) => {
            written += count;
          });
        }
      } catch (error) {
        fail(error);
      }
      waiting--;
    });
  };
  append(wavHeader(null));

  return {
    write(agent, other) {
      if (failed) return;
      encodeFrame(agent, agentBytes);
      encodeFrame(other, otherBytes);
      for (let sample = 0; sample < FRAME_SAMPLES; sample++) {
        block[filled++] = agentBytes[sample]!;
        block[filled++] = otherBytes[sample]!;
      }
      if (filled + FRAME_BYTES <= BLOCK_BYTES) return;
      if (waiting >= MOST_WAITING_BLOCKS) {
        fail(new Error("The recording can't be written as fast as the call goes on."));
        return;
      }
      append(block.subarray(0, filled));
      block = Buffer.allocUnsafe(BLOCK_BYTES);
      filled = 0;
    },
    async finish() {
      if (filled > 0) append(block.subarray(0, filled));
      filled = 0;
      await queue;
      const dataBytes = wholeDataBytes(written);
      if (dataBytes > 0) {
        try {
          await writeWhole(file, wavHeader(dataBytes), 0, () => {});
          await file.datasync();
        } catch (error) {
          fail(error);
        }
      }
      await file.close().catch(fail);
      return dataBytes > 0 ? WAV_HEADER_BYTES + dataBytes : null;
    },
  };
}

/** A frame of any other size is cut, or filled up with silence: the sides must not drift apart. */
function encodeFrame(samples: Int16Array, into: Uint8Array): void {
  if (samples.length === FRAME_SAMPLES) encodeG711("pcmu", samples, into);
  else into.fill(SILENT_BYTE.pcmu).set(encodeG711("pcmu", samples.subarray(0, FRAME_SAMPLES)));
}

/** A disk that fills up takes a part first. @param onWritten told of each part */
async function writeWhole(
  file: WavFile,
  bytes: Buffer,
  position: number,
  onWritten: (count: number) => void,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
    onWritten(bytesWritten);
  }
}
