import { FRAME_SAMPLES } from "../../media/media-leg.ts";

/** Speech is noticed after it has begun: its first sounds are in what was heard before. 500 ms. */
const FRAMES_KEPT = 25;

/** The last half second that was heard. */
export function createSoundBefore(): { push(samples: Int16Array): void; take(): Int16Array } {
  const ring = new Int16Array(FRAMES_KEPT * FRAME_SAMPLES);
  let at = 0;
  let filled = 0;
  return {
    push(samples) {
      ring.set(samples.subarray(0, FRAME_SAMPLES), at);
      at = (at + FRAME_SAMPLES) % ring.length;
      filled = Math.min(filled + FRAME_SAMPLES, ring.length);
    },
    take() {
      const taken = new Int16Array(filled);
      const start = filled < ring.length ? 0 : at;
      taken.set(ring.subarray(start, Math.min(filled, ring.length)));
      if (start > 0) taken.set(ring.subarray(0, start), ring.length - start);
      at = 0;
      filled = 0;
      return taken;
    },
  };
}
